//! The theme that Office puts into every document.

use std::fmt::Write;

use crate::Result;

/// The text of a theme part, about as long as Office's.
pub fn theme() -> Result<String> {
    let mut text = String::from(
        "<a:theme xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\" name=\"Office Theme\"><a:themeElements>\
         <a:clrScheme name=\"Office\"><a:dk1><a:sysClr val=\"windowText\" lastClr=\"000000\"/></a:dk1>\
         <a:lt1><a:sysClr val=\"window\" lastClr=\"FFFFFF\"/></a:lt1>",
    );
    for (name, color) in COLORS {
        write!(text, "<a:{name}><a:srgbClr val=\"{color}\"/></a:{name}>")?;
    }
    text.push_str("</a:clrScheme><a:fontScheme name=\"Office\">");
    for (element, latin) in [("majorFont", "Calibri Light"), ("minorFont", "Calibri")] {
        write!(text, "<a:{element}><a:latin typeface=\"{latin}\" panose=\"020F0302020204030204\"/><a:ea typeface=\"\"/>")?;
        text.push_str("<a:cs typeface=\"\"/>");
        for (script, font) in FONTS {
            write!(text, "<a:font script=\"{script}\" typeface=\"{font}\"/>")?;
        }
        write!(text, "</a:{element}>")?;
    }
    text.push_str("</a:fontScheme><a:fmtScheme name=\"Office\"><a:fillStyleLst>");
    fills(&mut text)?;
    text.push_str("</a:fillStyleLst><a:lnStyleLst>");
    for width in [6350, 12700, 19050] {
        write!(
            text,
            "<a:ln w=\"{width}\" cap=\"flat\" cmpd=\"sng\" algn=\"ctr\"><a:solidFill><a:schemeClr val=\"phClr\"/></a:solidFill>\
             <a:prstDash val=\"solid\"/><a:miter lim=\"800000\"/></a:ln>"
        )?;
    }
    text.push_str(
        "</a:lnStyleLst><a:effectStyleLst><a:effectStyle><a:effectLst/></a:effectStyle><a:effectStyle><a:effectLst/>\
         </a:effectStyle><a:effectStyle><a:effectLst><a:outerShdw blurRad=\"57150\" dist=\"19050\" dir=\"5400000\" algn=\"ctr\" \
         rotWithShape=\"0\"><a:srgbClr val=\"000000\"><a:alpha val=\"63000\"/></a:srgbClr></a:outerShdw></a:effectLst>\
         </a:effectStyle></a:effectStyleLst><a:bgFillStyleLst>",
    );
    fills(&mut text)?;
    text.push_str(
        "</a:bgFillStyleLst></a:fmtScheme></a:themeElements><a:objectDefaults/><a:extraClrSchemeLst/><a:extLst>\
         <a:ext uri=\"{05A4C25C-085E-4340-85A3-A5531E510DB2}\">\
         <thm15:themeFamily xmlns:thm15=\"http://schemas.microsoft.com/office/thememl/2012/main\" name=\"Office Theme\" \
         id=\"{62F939B6-93AF-4DB8-9C6B-D6C7DFDC589F}\" vid=\"{4A3C46E8-61CC-4603-A589-7422A47A8E4A}\"/></a:ext></a:extLst></a:theme>",
    );
    Ok(text)
}

fn fills(text: &mut String) -> Result {
    text.push_str("<a:solidFill><a:schemeClr val=\"phClr\"/></a:solidFill>");
    for tint in [67_000, 94_000] {
        text.push_str("<a:gradFill rotWithShape=\"1\"><a:gsLst>");
        for position in [0, 50_000, 100_000] {
            write!(
                text,
                "<a:gs pos=\"{position}\"><a:schemeClr val=\"phClr\"><a:lumMod val=\"110000\"/><a:satMod val=\"105000\"/>\
                 <a:tint val=\"{tint}\"/></a:schemeClr></a:gs>"
            )?;
        }
        text.push_str("</a:gsLst><a:lin ang=\"5400000\" scaled=\"0\"/></a:gradFill>");
    }
    Ok(())
}

const COLORS: [(&str, &str); 10] = [
    ("dk2", "44546A"),
    ("lt2", "E7E6E6"),
    ("accent1", "4472C4"),
    ("accent2", "ED7D31"),
    ("accent3", "A5A5A5"),
    ("accent4", "FFC000"),
    ("accent5", "5B9BD5"),
    ("accent6", "70AD47"),
    ("hlink", "0563C1"),
    ("folHlink", "954F72"),
];

const FONTS: [(&str, &str); 28] = [
    ("Jpan", "Yu Gothic"),
    ("Hang", "Malgun Gothic"),
    ("Hans", "DengXian"),
    ("Hant", "PMingLiU"),
    ("Arab", "Arial"),
    ("Hebr", "Arial"),
    ("Thai", "Cordia New"),
    ("Ethi", "Nyala"),
    ("Beng", "Vrinda"),
    ("Gujr", "Shruti"),
    ("Khmr", "DaunPenh"),
    ("Knda", "Tunga"),
    ("Guru", "Raavi"),
    ("Cans", "Euphemia"),
    ("Cher", "Plantagenet Cherokee"),
    ("Yiii", "Microsoft Yi Baiti"),
    ("Tibt", "Microsoft Himalaya"),
    ("Thaa", "MV Boli"),
    ("Deva", "Mangal"),
    ("Telu", "Gautami"),
    ("Taml", "Latha"),
    ("Syrc", "Estrangelo Edessa"),
    ("Orya", "Kalinga"),
    ("Mlym", "Kartika"),
    ("Laoo", "DokChampa"),
    ("Sinh", "Iskoola Pota"),
    ("Mong", "Mongolian Baiti"),
    ("Viet", "Arial"),
];
