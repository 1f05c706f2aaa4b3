//! Whole features that open and save dropped or damaged.

use recto::part::Content;
use recto::sheet::worksheet_extension_content::Item;
use recto::{Package, sheet};
use recto_testing::Pack;

use crate::books::{
    DECLARATION, R, SHEET1, SHEET2, STYLES, VML, WORKBOOK, X, cell, one_sheet, set_two, sheet, sheet_of_one, with_sheets,
    workbook,
};
use crate::trip::{edited, identical, unchanged};

/// A pivot table of the first sheet on the second, with a table on the third; the first has a cell to edit.
fn pivot() -> Pack {
    let (table, cache) = ("xl/pivotTables/pivotTable1.xml", "xl/pivotCache/pivotCacheDefinition1.xml");
    workbook(
        &[sheet_of_one(""), sheet(PIVOT_CELLS, "")],
        "<definedNames><definedName name=\"Data\">S1!$A$1:$B$4</definedName></definedNames>\
         <pivotCaches><pivotCache cacheId=\"65\" r:id=\"rId3\"/></pivotCaches>",
    )
    .related(WORKBOOK, "rId3", "pivotCacheDefinition", cache, format!("{DECLARATION}{PIVOT_CACHE}"))
    .related(cache, "rId1", "pivotCacheRecords", "xl/pivotCache/pivotCacheRecords1.xml", format!("{DECLARATION}{PIVOT_RECORDS}"))
    .related(SHEET2, "rId1", "pivotTable", table, format!("{DECLARATION}{PIVOT_TABLE}"))
    .link(table, "rId1", "pivotCacheDefinition", "../pivotCache/pivotCacheDefinition1.xml")
}

/// P01: pivot parts, the workbook's pivotCaches and their relationships were gone.
#[test]
fn pivot_parts_keep_their_relationships_and_their_place_in_the_workbook() {
    let package = identical(&pivot()).package();
    let caches = package.workbook().unwrap().pivot_caches.as_ref().unwrap();
    let id = caches.caches[0].relationship_id.as_deref().unwrap();
    let cache = package.related(WORKBOOK, id).unwrap();
    assert!(matches!(cache.content, Some(Content::PivotCache(_))));
    let records = package.related(&cache.name, "rId1").unwrap();
    assert!(matches!(records.content, Some(Content::PivotCacheRecords(_))));
    let table = package.related(SHEET2, "rId1").unwrap();
    assert!(matches!(table.content, Some(Content::PivotTable(_))));
    assert_eq!(package.related(&table.name, "rId1").unwrap().name, cache.name);
}

/// P04: the definition lost `xr:uid`, extLst, `rowGrandTotals`, `compact`, `outline`; row items were cut off.
#[test]
fn a_cell_edit_leaves_the_pivot_definition_complete() {
    let trip = edited(&pivot(), |package| set_two(package, "S1"));
    trip.check_only(SHEET1, "<v>1</v>", "<v>2</v>");
    let package = trip.package();
    let Some(Content::PivotTable(table)) = &package.part("xl/pivotTables/pivotTable1.xml").unwrap().content else { panic!() };
    assert_eq!(table.unique_id.as_deref(), Some("{55812D53-A4C4-8C41-92AB-7401E334F510}"));
    assert_eq!((table.row_grand_totals, table.compact, table.outline), (Some(false), Some(false), Some(true)));
    assert_eq!(table.row_items.as_ref().unwrap().lines.len(), 3);
    assert!(table.extension_list.is_some());
}

/// Adds a drawing with a chart, its style and its colours to the first sheet, which names it `rId1`.
fn with_chart(pack: Pack) -> Pack {
    let (drawing, chart) = ("xl/drawings/drawing1.xml", "xl/charts/chart1.xml");
    pack.related(SHEET1, "rId1", "drawing", drawing, format!("{DECLARATION}{CHART_DRAWING}"))
        .related(drawing, "rId1", "chart", chart, format!("{DECLARATION}{CHART}"))
        .related(chart, "rId1", "chartStyle", "xl/charts/style1.xml", CHART_STYLE)
        .related(chart, "rId2", "chartColorStyle", "xl/charts/colors1.xml", CHART_COLORS)
}

/// P02: charts vanished, on sheets of cells and on sheets of their own.
#[test]
fn charts_keep_their_style_their_colors_and_their_anchor() {
    let trip = identical(&with_chart(one_sheet(sheet("", "<drawing r:id=\"rId1\"/>"))));
    assert!(trip.text("xl/drawings/drawing1.xml").contains("<xdr:from><xdr:col>2</xdr:col>"));
    let package = trip.package();
    let part = |name: &str| package.part(name).unwrap().content.as_ref().unwrap();
    assert!(matches!(part("xl/charts/chart1.xml"), Content::Chart(_)));
    assert!(matches!(part("xl/charts/style1.xml"), Content::ChartStyle(_)));
    assert!(matches!(part("xl/charts/colors1.xml"), Content::ChartColors(_)));
}

/// P02, for a sheet that is a chart.
#[test]
fn a_chart_sheet_stays_one() {
    let main = format!(
        "{DECLARATION}<workbook xmlns=\"{X}\" xmlns:r=\"{R}\"><sheets><sheet name=\"Chart1\" sheetId=\"1\" r:id=\"rId1\"/></sheets></workbook>"
    );
    let own = format!(
        "{DECLARATION}<chartsheet xmlns=\"{X}\" xmlns:r=\"{R}\"><sheetPr/><sheetViews><sheetView zoomScale=\"94\" workbookViewId=\"0\" zoomToFit=\"1\"/></sheetViews><drawing r:id=\"rId1\"/></chartsheet>"
    );
    let (part, drawing) = ("xl/chartsheets/sheet1.xml", "xl/drawings/drawing1.xml");
    let pack = Pack::workbook(main)
        .related(WORKBOOK, "rId1", "chartsheet", part, own)
        .related(part, "rId1", "drawing", drawing, format!("{DECLARATION}{CHART_DRAWING}"))
        .related(drawing, "rId1", "chart", "xl/charts/chart1.xml", format!("{DECLARATION}{CHART}"));
    let package = identical(&pack).package();
    assert!(matches!(package.part(part).unwrap().content, Some(Content::ChartSheet(_))));
}

/// P03: charts were corrupted though the edited cell had nothing to do with them.
#[test]
fn a_cell_edit_leaves_the_chart_parts_alone() {
    let pack = with_chart(one_sheet(sheet_of_one("<drawing r:id=\"rId1\"/>")));
    edited(&pack, |package| set_two(package, "S1")).check_only(SHEET1, "<v>1</v>", "<v>2</v>");
}

/// P05: slicers were removed, or one of the three places that name them.
#[test]
fn a_slicer_of_a_table_keeps_all_that_names_it() {
    let drawing = "xl/drawings/drawing1.xml";
    let on_sheet =
        format!("<drawing r:id=\"rId1\"/><tableParts count=\"1\"><tablePart r:id=\"rId2\"/></tableParts>{SLICER_LIST}");
    let pack = workbook(&[sheet_of_one(&on_sheet)], SLICER_CACHES)
        .related(WORKBOOK, "rId2", "slicerCache", "xl/slicerCaches/slicerCache1.xml", format!("{DECLARATION}{SLICER_CACHE}"))
        .related(SHEET1, "rId1", "drawing", drawing, format!("{DECLARATION}{SLICER_DRAWING}"))
        .related(SHEET1, "rId2", "table", "xl/tables/table1.xml", format!("{DECLARATION}{TABLE}"))
        .related(SHEET1, "rId3", "slicer", "xl/slicers/slicer1.xml", format!("{DECLARATION}{SLICERS}"));
    let trip = unchanged(&pack);
    assert!(trip.text(drawing).contains("<mc:Choice Requires=\"sle15\">"));
    let package = trip.package();
    let Some(Content::Slicers(slicers)) = &package.part("xl/slicers/slicer1.xml").unwrap().content else { panic!() };
    assert_eq!(slicers.slicers.len(), 1);
    assert!(matches!(extensions(&package)[..], [Item::Slicers(_)]));
    edited(&pack, |package| set_two(package, "S1")).check_one(SHEET1, "1", "2");
}

/// What the extensions of the first sheet hold.
fn extensions(package: &Package) -> Vec<Item> {
    let list = package.worksheet("S1").unwrap().extension_list.as_ref().unwrap();
    list.extensions.iter().flat_map(|extension| &extension.content).filter_map(|content| content.item.clone()).collect()
}

/// P06: list validations that refer to another sheet live in an extension and were dropped.
#[test]
fn validations_survive_in_both_places_with_their_counts() {
    let pack = workbook(&[sheet("", VALIDATIONS), sheet("", "")], "");
    let trip = identical(&pack);
    let package = trip.package();
    let normal = package.worksheet("S1").unwrap().data_validations.as_ref().unwrap();
    assert_eq!((normal.count, normal.validations.len()), (Some(1), 1));
    let Item::DataValidations(extended) = &extensions(&package)[0] else { panic!() };
    assert_eq!((extended.count, extended.validations.len()), (Some(1), 1));
}

/// P07: the workbook was written with two `extLst`, which no program opens.
#[test]
fn the_workbook_has_one_extension_list_and_it_is_last() {
    let pack = workbook(&[sheet("", "")], SLICER_CACHES).related(
        WORKBOOK,
        "rId2",
        "slicerCache",
        "xl/slicerCaches/slicerCache1.xml",
        format!("{DECLARATION}{SLICER_CACHE}"),
    );
    let trip = edited(&pack, |package| {
        package.workbook_mut().unwrap().calculation =
            Some(sheet::CalculationProperties { engine_id: Some(191029), ..Default::default() }.into());
    });
    let text = trip.text(WORKBOOK);
    assert_eq!(text.matches("<extLst>").count(), 1);
    assert!(text.ends_with("</extLst></workbook>"), "{text}");
    trip.check_only(WORKBOOK, "</sheets><extLst>", "</sheets><calcPr calcId=\"191029\"/><extLst>");
}

/// P08: a colour scale was saved again with identifiers and an extension that it never had.
#[test]
fn color_scales_come_back_with_or_without_a_twin_in_the_extensions() {
    let cells = "<row r=\"1\"><c r=\"A1\"><v>1</v></c></row><row r=\"2\"><c r=\"A2\"><v>2</v></c></row>";
    let plain = identical(&one_sheet(sheet(cells, COLOR_SCALE)));
    assert!(!plain.text(SHEET1).contains("extLst") && !plain.text(SHEET1).contains("x14"));
    let package = identical(&one_sheet(sheet(cells, DATA_BAR))).package();
    assert!(matches!(extensions(&package)[..], [Item::ConditionalFormattings(_)]));
}

/// P09: the theme was missing, or replaced by the default one.
#[test]
fn the_theme_is_the_one_that_was_there() {
    let theme = "xl/theme/theme1.xml";
    let pack = one_sheet(sheet_of_one("")).related(WORKBOOK, "rId2", "theme", theme, format!("{DECLARATION}{THEME}"));
    let package = identical(&pack).package();
    let Some(Content::Theme(parsed)) = &package.part(theme).unwrap().content else { panic!() };
    assert_eq!(parsed.name.as_deref(), Some("House style"));
    edited(&pack, |package| set_two(package, "S1")).check_only(SHEET1, "<v>1</v>", "<v>2</v>");
}

fn with_styles() -> Pack {
    one_sheet(sheet_of_one("")).related(WORKBOOK, "rId2", "styles", STYLES, format!("{DECLARATION}{THEMED_STYLES}"))
}

fn styles(package: &mut Package) -> &mut sheet::Stylesheet {
    let Some(Content::Stylesheet(styles)) = &mut package.part_mut(STYLES).unwrap().content else { panic!() };
    styles
}

/// P10: a theme colour with a tint became a plain colour, and the tint was applied once more.
#[test]
fn a_theme_color_keeps_its_tint_when_its_font_is_edited() {
    identical(&with_styles());
    let trip = edited(&with_styles(), |package| {
        let font = &mut styles(package).fonts.as_mut().unwrap().fonts[1];
        let color = font.color.as_ref().unwrap();
        assert_eq!((color.theme, color.tint, &color.rgb), (Some(4), Some(0.2), &None));
        font.size = Some(14.0);
    });
    trip.check_only(STYLES, "<sz val=\"12\"/>", "<sz val=\"14\"/>");
}

/// P11: the reserved fill gray125 gained colours; fills with theme colours turned white.
#[test]
fn reserved_and_themed_fills_are_not_touched() {
    let mut package = identical(&with_styles()).package();
    let fills = &styles(&mut package).fills.as_ref().unwrap().fills;
    let pattern = |index: usize| fills[index].pattern.as_ref().unwrap();
    assert_eq!((&pattern(1).foreground_color, &pattern(1).background_color), (&None, &None));
    let themed = pattern(2).foreground_color.as_ref().unwrap();
    assert_eq!((themed.theme, themed.tint), (Some(7), Some(0.599_993_896_298_104_8)));
    assert_eq!(pattern(2).background_color.as_ref().unwrap().indexed, Some(64));
}

/// P12: the data model and custom XML, which nothing but relationships lead to, were dropped.
#[test]
fn parts_that_only_relationships_lead_to_are_kept() {
    let item = "customXml/item1.xml";
    let model: Vec<u8> = (0..=255).collect();
    let pack = one_sheet(sheet("", ""))
        .related(WORKBOOK, "rId2", "powerPivotData", "xl/model/item.data", model.clone())
        .related(
            WORKBOOK,
            "rId3",
            "customXml",
            item,
            "<Gemini xmlns=\"http://gemini/pivotcustomization/TableOrder\"><![CDATA[a]]></Gemini>",
        )
        .related(item, "rId1", "customXmlProps", "customXml/itemProps1.xml", ITEM_PROPERTIES);
    let trip = identical(&pack);
    assert_eq!(trip.bytes("xl/model/item.data"), model);
    let package = trip.package();
    assert_eq!(package.related(WORKBOOK, "rId2").unwrap().content, Some(Content::Data(model)));
    assert!(package.related(WORKBOOK, "rId3").is_some());
    assert!(matches!(package.related(item, "rId1").unwrap().content, Some(Content::CustomXmlProperties(_))));
}

/// P13: of part, relationship and workbook element of an external link, the last two were dropped.
#[test]
fn external_links_keep_part_relationship_and_number() {
    let link = |file: &str| {
        format!(
            "{DECLARATION}<externalLink xmlns=\"{X}\"><externalBook xmlns:r=\"{R}\" r:id=\"rId1\"><sheetNames><sheetName val=\"{file}\"/></sheetNames><sheetDataSet><sheetData sheetId=\"0\"><row r=\"1\"><cell r=\"A1\"><v>7</v></cell></row></sheetData></sheetDataSet></externalBook></externalLink>"
        )
    };
    let (first, second) = ("xl/externalLinks/externalLink1.xml", "xl/externalLinks/externalLink2.xml");
    let cells = "<row r=\"1\"><c r=\"A1\"><f>[1]Rates!A1+[2]Old!A1</f><v>14</v></c></row>";
    let references =
        "<externalReferences><externalReference r:id=\"rId3\"/><externalReference r:id=\"rId2\"/></externalReferences>";
    let pack = workbook(&[sheet(cells, "")], references)
        .related(WORKBOOK, "rId2", "externalLink", first, link("Old"))
        .related(WORKBOOK, "rId3", "externalLink", second, link("Rates"))
        .external(first, "rId1", "externalLinkPath", "old%20file.xlsx")
        .external(second, "rId1", "externalLinkPath", "file:///C:\\Rates\\rates.xlsx");
    let package = identical(&pack).package();
    let list = &package.workbook().unwrap().external_references.as_ref().unwrap().references;
    let parts: Vec<_> =
        list.iter().map(|one| &package.related(WORKBOOK, one.relationship_id.as_deref().unwrap()).unwrap().name).collect();
    assert_eq!(parts, [second, first]);
}

/// P14: macros were lost, or the workbook's content type no longer said that it has them.
#[test]
fn macros_and_the_content_type_that_allows_them_stay_together() {
    let kind = "application/vnd.ms-excel.sheet.macroEnabled.main+xml";
    let main = format!(
        "{DECLARATION}<workbook xmlns=\"{X}\" xmlns:r=\"{R}\"><workbookPr codeName=\"ThisWorkbook\"/><sheets><sheet name=\"S1\" sheetId=\"1\" r:id=\"rId1\"/></sheets></workbook>"
    );
    let macros = [&[0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1], &[7; 600][..]].concat();
    let pack = with_sheets(Pack::new(WORKBOOK, kind, main), &[sheet_of_one("")]);
    let pack = pack.related(WORKBOOK, "rId2", "vbaProject", "xl/vbaProject.bin", macros.clone());
    let trip = identical(&pack);
    assert_eq!(trip.bytes("xl/vbaProject.bin"), macros);
    assert_eq!(trip.written().content_types().of(WORKBOOK), Some(kind));
    edited(&pack, |package| set_two(package, "S1")).check_only(SHEET1, "<v>1</v>", "<v>2</v>");
}

/// P15: the VML of notes was written anew: invalid, with two roots, or without what is hidden.
#[test]
fn the_vml_of_notes_is_left_alone() {
    let vml = "xl/drawings/vmlDrawing1.vml";
    let pack = one_sheet(sheet_of_one("<legacyDrawing r:id=\"rId1\"/>"))
        .extension("vml", VML)
        .related(SHEET1, "rId1", "vmlDrawing", vml, NOTE_VML)
        .related(SHEET1, "rId2", "comments", "xl/comments1.xml", format!("{DECLARATION}{NOTES}"));
    identical(&pack);
    let trip = edited(&pack, |package| set_two(package, "S1"));
    trip.check_one(SHEET1, "1", "2");
    let text = trip.text(vml);
    assert_eq!(text.matches("<xml").count(), 1);
    assert!(text.contains("<o:idmap v:ext=\"edit\" data=\"1,3\"/>") && text.contains("id=\"_x0000_s3073\""), "{text}");
    assert!(text.contains("visibility:hidden"), "{text}");
}

/// P16: threaded comments and their authors were lost; only the note for old readers was kept.
#[test]
fn threaded_comments_keep_their_replies_authors_and_notes() {
    let pack = one_sheet(sheet_of_one(""))
        .related(WORKBOOK, "rId2", "person", "xl/persons/person.xml", format!("{DECLARATION}{PERSONS}"))
        .related(SHEET1, "rId1", "comments", "xl/comments1.xml", format!("{DECLARATION}{THREAD_NOTES}"))
        .related(
            SHEET1,
            "rId2",
            "threadedComment",
            "xl/threadedComments/threadedComment1.xml",
            format!("{DECLARATION}{THREADS}"),
        );
    let package = identical(&pack).package();
    let part = |name: &str| package.part(name).unwrap().content.as_ref().unwrap();
    let Content::ThreadedComments(threads) = part("xl/threadedComments/threadedComment1.xml") else { panic!() };
    let Content::Persons(persons) = part("xl/persons/person.xml") else { panic!() };
    let Content::CellComments(notes) = part("xl/comments1.xml") else { panic!() };
    assert_eq!(threads.comments[1].parent_id, threads.comments[0].id);
    assert_eq!(threads.comments[0].person_id, persons.persons[0].id);
    assert_eq!(notes.list.as_ref().unwrap().comments[0].unique_id, threads.comments[0].id);
}

/// P17: without `cm` and the metadata part, Excel shows a dynamic array formula as `@UNIQUE()`.
#[test]
fn dynamic_arrays_stay_dynamic_when_their_value_is_edited() {
    let formula = "<f t=\"array\" ref=\"A1:A3\">_xlfn.UNIQUE(B1:B9)</f>";
    let cells =
        format!("<row r=\"1\"><c r=\"A1\" cm=\"1\">{formula}<v>1</v></c><c r=\"B1\" t=\"e\" vm=\"1\"><v>#VALUE!</v></c></row>");
    let pack = one_sheet(sheet(&cells, "")).related(
        WORKBOOK,
        "rId2",
        "sheetMetadata",
        "xl/metadata.xml",
        format!("{DECLARATION}{METADATA}"),
    );
    let mut package = identical(&pack).package();
    assert!(matches!(package.part("xl/metadata.xml").unwrap().content, Some(Content::CellMetadata(_))));
    assert_eq!((cell(&mut package, "S1", 0, 0).cell_metadata, cell(&mut package, "S1", 0, 1).value_metadata), (Some(1), Some(1)));
    edited(&pack, |package| set_two(package, "S1")).check_only(SHEET1, "<v>1</v>", "<v>2</v>");
}

/// P18: structured references became `#REF!`, and the table's layout, notes and lists were lost.
#[test]
fn structured_references_stay_text() {
    let cells = "<row r=\"1\"><c r=\"A1\"><v>1</v></c><c r=\"C1\" cm=\"1\"><f t=\"array\" ref=\"C1:C2\">_xlfn.UNIQUE(T[col])</f><v>3</v></c><c r=\"D1\"><f>SUM(T[[#This Row],[col]:[other]])</f><v>4</v></c></row>";
    let pack = one_sheet(sheet(cells, "<tableParts count=\"1\"><tablePart r:id=\"rId1\"/></tableParts>")).related(
        SHEET1,
        "rId1",
        "table",
        "xl/tables/table1.xml",
        format!("{DECLARATION}{TABLE}"),
    );
    let mut package = identical(&pack).package();
    assert_eq!(cell(&mut package, "S1", 0, 1).formula.as_ref().unwrap().text, "_xlfn.UNIQUE(T[col])");
    assert_eq!(cell(&mut package, "S1", 0, 2).formula.as_ref().unwrap().text, "SUM(T[[#This Row],[col]:[other]])");
    edited(&pack, |package| set_two(package, "S1")).check_only(SHEET1, "<c r=\"A1\"><v>1</v>", "<c r=\"A1\"><v>2</v>");
}

const PIVOT_CELLS: &str =
    "<row r=\"3\"><c r=\"A3\" t=\"str\"><v>Row Labels</v></c><c r=\"B3\" t=\"str\"><v>Sum of Size</v></c></row>";

const PIVOT_TABLE: &str = r#"<pivotTableDefinition xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" mc:Ignorable="xr" xmlns:xr="http://schemas.microsoft.com/office/spreadsheetml/2014/revision" xr:uid="{55812D53-A4C4-8C41-92AB-7401E334F510}" name="PivotTable1" cacheId="65" applyNumberFormats="0" applyWidthHeightFormats="1" dataCaption="Values" updatedVersion="8" minRefreshableVersion="3" useAutoFormatting="1" rowGrandTotals="0" itemPrintTitles="1" createdVersion="8" indent="0" compact="0" outline="1" outlineData="1" multipleFieldFilters="0"><location ref="A3:B6" firstHeaderRow="1" firstDataRow="1" firstDataCol="1"/><pivotFields count="2"><pivotField axis="axisRow" showAll="0"><items count="3"><item x="0"/><item x="1"/><item t="default"/></items></pivotField><pivotField dataField="1" showAll="0"/></pivotFields><rowFields count="1"><field x="0"/></rowFields><rowItems count="3"><i><x/></i><i><x v="1"/></i><i t="grand"><x/></i></rowItems><colItems count="1"><i/></colItems><dataFields count="1"><dataField name="Sum of Size" fld="1" baseField="0" baseItem="0"/></dataFields><pivotTableStyleInfo name="PivotStyleLight16" showRowHeaders="1" showColHeaders="1" showRowStripes="0" showColStripes="0" showLastColumn="1"/><extLst><ext uri="{962EF5D1-5CA2-4c93-8EF4-DBF5C05439D2}" xmlns:x14="http://schemas.microsoft.com/office/spreadsheetml/2009/9/main"><x14:pivotTableDefinition hideValuesRow="1" xmlns:xm="http://schemas.microsoft.com/office/excel/2006/main"/></ext></extLst></pivotTableDefinition>"#;

const PIVOT_CACHE: &str = r#"<pivotCacheDefinition xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" r:id="rId1" refreshedBy="A. Frost" refreshedDate="45925.303640972219" createdVersion="8" refreshedVersion="8" minRefreshableVersion="3" recordCount="2"><cacheSource type="worksheet"><worksheetSource name="Data"/></cacheSource><cacheFields count="2"><cacheField name="Kind" numFmtId="0"><sharedItems count="2"><s v="blue"/><s v="red"/></sharedItems></cacheField><cacheField name="Size" numFmtId="0"><sharedItems containsSemiMixedTypes="0" containsString="0" containsNumber="1" minValue="1.5" maxValue="2"/></cacheField></cacheFields></pivotCacheDefinition>"#;

const PIVOT_RECORDS: &str = r#"<pivotCacheRecords xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" count="2"><r><x v="0"/><n v="1.5"/></r><r><x v="1"/><n v="2"/></r></pivotCacheRecords>"#;

const CHART_DRAWING: &str = r#"<xdr:wsDr xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><xdr:twoCellAnchor editAs="oneCell"><xdr:from><xdr:col>2</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>1</xdr:row><xdr:rowOff>12700</xdr:rowOff></xdr:from><xdr:to><xdr:col>8</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>15</xdr:row><xdr:rowOff>0</xdr:rowOff></xdr:to><xdr:graphicFrame macro=""><xdr:nvGraphicFramePr><xdr:cNvPr id="2" name="Chart 1"/><xdr:cNvGraphicFramePr/></xdr:nvGraphicFramePr><xdr:xfrm><a:off x="0" y="0"/><a:ext cx="0" cy="0"/></xdr:xfrm><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/chart"><c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" r:id="rId1"/></a:graphicData></a:graphic></xdr:graphicFrame><xdr:clientData/></xdr:twoCellAnchor></xdr:wsDr>"#;

const CHART: &str = r#"<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><c:date1904 val="0"/><c:roundedCorners val="0"/><mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><mc:Choice Requires="c14" xmlns:c14="http://schemas.microsoft.com/office/drawing/2007/8/2/chart"><c14:style val="102"/></mc:Choice><mc:Fallback><c:style val="2"/></mc:Fallback></mc:AlternateContent><c:chart><c:autoTitleDeleted val="1"/><c:plotArea><c:layout/><c:barChart><c:barDir val="col"/><c:grouping val="clustered"/><c:varyColors val="0"/><c:ser><c:idx val="0"/><c:order val="0"/><c:spPr><a:solidFill><a:schemeClr val="accent1"/></a:solidFill></c:spPr><c:invertIfNegative val="0"/><c:val><c:numRef><c:f>S1!$A$1</c:f><c:numCache><c:formatCode>General</c:formatCode><c:ptCount val="1"/><c:pt idx="0"><c:v>1</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser><c:gapWidth val="219"/><c:axId val="1"/><c:axId val="2"/></c:barChart></c:plotArea><c:plotVisOnly val="1"/></c:chart></c:chartSpace>"#;

const CHART_STYLE: &str = r#"<cs:chartStyle xmlns:cs="http://schemas.microsoft.com/office/drawing/2012/chartStyle" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" id="201"><cs:axisTitle><cs:lnRef idx="0"/><cs:fillRef idx="0"/><cs:effectRef idx="0"/><cs:fontRef idx="minor"><a:schemeClr val="tx1"><a:lumMod val="65000"/></a:schemeClr></cs:fontRef><cs:defRPr sz="1000" kern="1200"/></cs:axisTitle></cs:chartStyle>"#;

const CHART_COLORS: &str = r#"<cs:colorStyle xmlns:cs="http://schemas.microsoft.com/office/drawing/2012/chartStyle" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" meth="cycle" id="10"><a:schemeClr val="accent1"/><a:schemeClr val="accent2"/><cs:variation/><cs:variation><a:lumMod val="60000"/></cs:variation></cs:colorStyle>"#;

const TABLE: &str = r#"<table xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" mc:Ignorable="xr xr3" xmlns:xr="http://schemas.microsoft.com/office/spreadsheetml/2014/revision" xmlns:xr3="http://schemas.microsoft.com/office/spreadsheetml/2016/revision3" id="1" xr:uid="{00000000-000C-0000-FFFF-FFFF00000000}" name="T" displayName="T" ref="A1:B3" totalsRowShown="0"><autoFilter ref="A1:B3" xr:uid="{00000000-0009-0000-0100-000001000000}"/><tableColumns count="2"><tableColumn id="1" xr3:uid="{00000000-0010-0000-0000-000001000000}" name="col"/><tableColumn id="2" xr3:uid="{00000000-0010-0000-0000-000002000000}" name="other"><calculatedColumnFormula>T[[#This Row],[col]]*2</calculatedColumnFormula></tableColumn></tableColumns><tableStyleInfo name="TableStyleMedium2" showFirstColumn="0" showLastColumn="0" showRowStripes="1" showColumnStripes="0"/></table>"#;

const SLICER_LIST: &str = r#"<extLst><ext uri="{3A4CF648-6AED-40f4-86FF-DC5316D8AED3}" xmlns:x15="http://schemas.microsoft.com/office/spreadsheetml/2010/11/main"><x14:slicerList xmlns:x14="http://schemas.microsoft.com/office/spreadsheetml/2009/9/main"><x14:slicer r:id="rId3"/></x14:slicerList></ext></extLst>"#;

const SLICER_CACHES: &str = r#"<extLst><ext uri="{46BE6895-7355-4a93-B00E-2C351335B9C9}" xmlns:x15="http://schemas.microsoft.com/office/spreadsheetml/2010/11/main"><x15:slicerCaches xmlns:x14="http://schemas.microsoft.com/office/spreadsheetml/2009/9/main"><x14:slicerCache r:id="rId2"/></x15:slicerCaches></ext></extLst>"#;

const SLICER_CACHE: &str = r#"<slicerCacheDefinition xmlns="http://schemas.microsoft.com/office/spreadsheetml/2009/9/main" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" mc:Ignorable="x xr10" xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:xr10="http://schemas.microsoft.com/office/spreadsheetml/2016/revision10" name="Slicer_col" xr10:uid="{56CCDA52-9079-4160-A6BC-3D27BC5E5585}" sourceName="col"><extLst><x:ext uri="{2F2917AC-EB37-4324-AD4E-5DD8C200BD13}" xmlns:x15="http://schemas.microsoft.com/office/spreadsheetml/2010/11/main"><x15:tableSlicerCache tableId="1" column="1"/></x:ext></extLst></slicerCacheDefinition>"#;

const SLICERS: &str = r#"<slicers xmlns="http://schemas.microsoft.com/office/spreadsheetml/2009/9/main" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" mc:Ignorable="x xr10" xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:xr10="http://schemas.microsoft.com/office/spreadsheetml/2016/revision10"><slicer name="col" xr10:uid="{2CF3C88E-D82A-436F-8DC9-69A847CFA1ED}" cache="Slicer_col" caption="col" rowHeight="273050"/></slicers>"#;

const SLICER_DRAWING: &str = r#"<xdr:wsDr xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><xdr:twoCellAnchor editAs="absolute"><xdr:from><xdr:col>3</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>0</xdr:row><xdr:rowOff>0</xdr:rowOff></xdr:from><xdr:to><xdr:col>5</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>9</xdr:row><xdr:rowOff>0</xdr:rowOff></xdr:to><mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:sle15="http://schemas.microsoft.com/office/drawing/2012/slicer"><mc:Choice Requires="sle15"><xdr:graphicFrame macro=""><xdr:nvGraphicFramePr><xdr:cNvPr id="2" name="col"/><xdr:cNvGraphicFramePr/></xdr:nvGraphicFramePr><xdr:xfrm><a:off x="0" y="0"/><a:ext cx="0" cy="0"/></xdr:xfrm><a:graphic><a:graphicData uri="http://schemas.microsoft.com/office/drawing/2010/slicer"><sle:slicer xmlns:sle="http://schemas.microsoft.com/office/drawing/2010/slicer" name="col"/></a:graphicData></a:graphic></xdr:graphicFrame></mc:Choice><mc:Fallback xmlns=""><xdr:sp macro="" textlink=""><xdr:nvSpPr><xdr:cNvPr id="0" name=""/><xdr:cNvSpPr><a:spLocks noTextEdit="1"/></xdr:cNvSpPr></xdr:nvSpPr><xdr:spPr><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></xdr:spPr></xdr:sp></mc:Fallback></mc:AlternateContent><xdr:clientData/></xdr:twoCellAnchor></xdr:wsDr>"#;

const VALIDATIONS: &str = r#"<dataValidations count="1"><dataValidation type="list" allowBlank="1" showInputMessage="1" showErrorMessage="1" sqref="B1:B9"><formula1>"yes,no"</formula1></dataValidation></dataValidations><pageMargins left="0.7" right="0.7" top="0.75" bottom="0.75" header="0.3" footer="0.3"/><extLst><ext uri="{CCE6A557-97BC-4b89-ADB6-D9C93CAAB3DF}" xmlns:x14="http://schemas.microsoft.com/office/spreadsheetml/2009/9/main"><x14:dataValidations count="1" xmlns:xm="http://schemas.microsoft.com/office/excel/2006/main"><x14:dataValidation type="list" allowBlank="1" showInputMessage="1" showErrorMessage="1"><x14:formula1><xm:f>'S2'!$A$1:$A$5</xm:f></x14:formula1><xm:sqref>C1:C5</xm:sqref></x14:dataValidation></x14:dataValidations></ext></extLst>"#;

const COLOR_SCALE: &str = r#"<conditionalFormatting sqref="A1:A3"><cfRule type="colorScale" priority="1"><colorScale><cfvo type="min"/><cfvo type="max"/><color rgb="FFFF7128"/><color rgb="FFFFEF9C"/></colorScale></cfRule></conditionalFormatting>"#;

const DATA_BAR: &str = r#"<conditionalFormatting sqref="A1:A3"><cfRule type="dataBar" priority="1"><dataBar><cfvo type="min"/><cfvo type="max"/><color rgb="FF638EC6"/></dataBar><extLst><ext uri="{B025F937-C7B1-47D3-B67F-A62EFF666E3E}" xmlns:x14="http://schemas.microsoft.com/office/spreadsheetml/2009/9/main"><x14:id>{95C71CE0-2AC2-4A75-A83C-D2E1B8A3F3A6}</x14:id></ext></extLst></cfRule></conditionalFormatting><extLst><ext uri="{78C0D931-6437-407d-A8EE-F0AAD7539E65}" xmlns:x14="http://schemas.microsoft.com/office/spreadsheetml/2009/9/main"><x14:conditionalFormattings><x14:conditionalFormatting xmlns:xm="http://schemas.microsoft.com/office/excel/2006/main"><x14:cfRule type="dataBar" id="{95C71CE0-2AC2-4A75-A83C-D2E1B8A3F3A6}"><x14:dataBar minLength="0" maxLength="100" border="1"><x14:cfvo type="autoMin"/><x14:cfvo type="autoMax"/><x14:borderColor rgb="FF638EC6"/></x14:dataBar></x14:cfRule><xm:sqref>A1:A3</xm:sqref></x14:conditionalFormatting></x14:conditionalFormattings></ext></extLst>"#;

const THEME: &str = r#"<a:theme xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" name="House style"><a:themeElements><a:clrScheme name="Brand"><a:dk1><a:sysClr val="windowText" lastClr="000000"/></a:dk1><a:lt1><a:sysClr val="window" lastClr="FFFFFF"/></a:lt1><a:accent1><a:srgbClr val="E4002B"/></a:accent1></a:clrScheme><a:fontScheme name="Brand"><a:majorFont><a:latin typeface="Brand Sans"/><a:ea typeface=""/><a:cs typeface=""/></a:majorFont><a:minorFont><a:latin typeface="Brand Serif"/><a:ea typeface=""/><a:cs typeface=""/></a:minorFont></a:fontScheme></a:themeElements><a:objectDefaults/><a:extraClrSchemeLst/></a:theme>"#;

const THEMED_STYLES: &str = r#"<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><fonts count="2"><font><sz val="11"/><color theme="1"/><name val="Calibri"/></font><font><sz val="12"/><color theme="4" tint="0.2"/><name val="Calibri"/></font></fonts><fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill><fill><patternFill patternType="solid"><fgColor theme="7" tint="0.59999389629810485"/><bgColor indexed="64"/></patternFill></fill></fills></styleSheet>"#;

const ITEM_PROPERTIES: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="no"?><ds:datastoreItem ds:itemID="{6A0A3B1C-5F1E-4C0D-9B0A-0C8F6E2D7A11}" xmlns:ds="http://schemas.openxmlformats.org/officeDocument/2006/customXml"><ds:schemaRefs/></ds:datastoreItem>"#;

const NOTE_VML: &str = "<xml xmlns:v=\"urn:schemas-microsoft-com:vml\"\n xmlns:o=\"urn:schemas-microsoft-com:office:office\"\n xmlns:x=\"urn:schemas-microsoft-com:office:excel\">\n <o:shapelayout v:ext=\"edit\">\n  <o:idmap v:ext=\"edit\" data=\"1,3\"/>\n </o:shapelayout><v:shapetype id=\"_x0000_t202\" coordsize=\"21600,21600\" o:spt=\"202\"\n  path=\"m,l,21600r21600,l21600,xe\">\n  <v:stroke joinstyle=\"miter\"/>\n  <v:path gradientshapeok=\"t\" o:connecttype=\"rect\"/>\n </v:shapetype><v:shape id=\"_x0000_s3073\" type=\"#_x0000_t202\" style='position:absolute;\n  margin-left:59pt;margin-top:2pt;width:108pt;height:59pt;z-index:1;\n  visibility:hidden' fillcolor=\"#ffffe1 [80]\" o:insetmode=\"auto\">\n  <v:fill color2=\"#ffffe1 [80]\"/>\n  <v:textbox style='mso-direction-alt:auto'>\n   <div style='text-align:left'></div>\n  </v:textbox>\n  <x:ClientData ObjectType=\"Note\">\n   <x:MoveWithCells/>\n   <x:Anchor>\n    1, 6, 0, 2, 3, 8, 4, 1</x:Anchor>\n   <x:AutoFill>False</x:AutoFill>\n   <x:Row>0</x:Row>\n   <x:Column>0</x:Column>\n  </x:ClientData>\n </v:shape></xml>";

const NOTES: &str = r#"<comments xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><authors><author>B. Vik</author></authors><commentList><comment ref="A1" authorId="0" shapeId="0"><text><r><rPr><b/><sz val="9"/></rPr><t xml:space="preserve">Why? </t></r></text></comment></commentList></comments>"#;

const PERSONS: &str = r#"<personList xmlns="http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments" xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><person displayName="B. Vik" id="{ED88F4F5-A552-4A41-970D-6B23DC2319F4}" userId="B. Vik" providerId="None"/></personList>"#;

const THREADS: &str = r#"<ThreadedComments xmlns="http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments" xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><threadedComment ref="A1" dT="2026-06-18T17:12:37.41" personId="{ED88F4F5-A552-4A41-970D-6B23DC2319F4}" id="{04C1C54B-2744-A647-93D1-A99C27C7EFDC}"><text>Is it so?</text></threadedComment><threadedComment ref="A1" dT="2026-06-18T17:15:52.31" personId="{ED88F4F5-A552-4A41-970D-6B23DC2319F4}" id="{9079903E-5C85-DC40-828F-9D93A620480C}" parentId="{04C1C54B-2744-A647-93D1-A99C27C7EFDC}"><text>It is.</text></threadedComment></ThreadedComments>"#;

const THREAD_NOTES: &str = "<comments xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\" xmlns:mc=\"http://schemas.openxmlformats.org/markup-compatibility/2006\" mc:Ignorable=\"xr\" xmlns:xr=\"http://schemas.microsoft.com/office/spreadsheetml/2014/revision\"><authors><author>tc={04C1C54B-2744-A647-93D1-A99C27C7EFDC}</author></authors><commentList><comment ref=\"A1\" authorId=\"0\" shapeId=\"0\" xr:uid=\"{04C1C54B-2744-A647-93D1-A99C27C7EFDC}\"><text><t>[Threaded comment]\n\nComment:\n    Is it so?\nReply:\n    It is.</t></text></comment></commentList></comments>";

const METADATA: &str = r#"<metadata xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:xda="http://schemas.microsoft.com/office/spreadsheetml/2017/dynamicarray"><metadataTypes count="1"><metadataType name="XLDAPR" minSupportedVersion="120000" copy="1" pasteAll="1" pasteValues="1" merge="1" splitFirst="1" rowColShift="1" clearFormats="1" clearComments="1" assign="1" coerce="1" cellMeta="1"/></metadataTypes><futureMetadata name="XLDAPR" count="1"><bk><extLst><ext uri="{bdbb8cdc-fa1e-496e-a857-3c3f30c029c3}"><xda:dynamicArrayProperties fDynamic="1" fCollapsed="0"/></ext></extLst></bk></futureMetadata><cellMetadata count="1"><bk><rc t="1" v="0"/></bk></cellMetadata></metadata>"#;
