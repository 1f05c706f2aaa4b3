//! The chart of the workbook's summary, and the drawing that puts it on the sheet.
use recto::chart::{self, Axis, PlotAreaItem, plot_area_item::Item};
use recto::drawing::{self, sheet_anchor, sheet_object};

use super::workbook::REGIONS;

/// Numbers by which the chart and its axes refer to each other.
const CATEGORIES: i64 = 1;
const VALUES: i64 = 2;

/// A drawing with the chart, right of the summary.
pub fn drawing(relationship_id: &str) -> drawing::SheetDrawing {
    let cell = |column, row| drawing::CellPosition {
        column: Some(column),
        column_offset: Some(0),
        row: Some(row),
        row_offset: Some(0),
        ..Default::default()
    };
    let anchor = drawing::TwoCellAnchor {
        from: Some(cell(4, 1)),
        to: Some(cell(12, 16)),
        content: vec![drawing::SheetObject { item: Some(sheet_object::Item::GraphicFrame(frame(relationship_id))) }],
        client_data: Some(Default::default()),
        ..Default::default()
    };
    let anchor = drawing::SheetAnchor { item: Some(sheet_anchor::Item::TwoCell(anchor.into())) };
    drawing::SheetDrawing { anchors: vec![anchor], ..Default::default() }
}

fn frame(relationship_id: &str) -> drawing::SheetGraphicFrame {
    let properties = drawing::NonVisualDrawingProperties {
        id: Some(2),
        name: Some("Chart 1".to_owned()),
        description: Some("Orders by region".to_owned()),
        ..Default::default()
    };
    let chart = drawing::ChartReference { relationship_id: Some(relationship_id.to_owned()), ..Default::default() };
    let data = drawing::GraphicData {
        uri: Some("http://schemas.openxmlformats.org/drawingml/2006/chart".to_owned()),
        content: vec![drawing::GraphicContent { item: Some(drawing::graphic_content::Item::Chart(chart)) }],
        ..Default::default()
    };
    // The anchor says where the frame is, yet the schema wants this too.
    let transform = drawing::Transform {
        offset: Some(drawing::Point { x: Some(0), y: Some(0), ..Default::default() }),
        extent: Some(drawing::Size { width: Some(0), height: Some(0), ..Default::default() }),
        ..Default::default()
    };
    drawing::SheetGraphicFrame {
        macro_name: Some(String::new()),
        non_visual_properties: Some(
            drawing::SheetGraphicFrameNonVisual {
                drawing_properties: Some(properties.into()),
                frame_properties: Some(Default::default()),
                ..Default::default()
            }
            .into(),
        ),
        transform: Some(transform.into()),
        graphic: Some(drawing::Graphic { data: Some(data), ..Default::default() }.into()),
        ..Default::default()
    }
}

/// Columns for what each region ordered.
pub fn chart(totals: &[f64]) -> chart::ChartSpace {
    let axis_id = |value| chart::AxisId { value: Some(value), ..Default::default() };
    let bars = chart::BarChart {
        direction: Some(chart::BarDirection::Column.into()),
        grouping: Some(chart::BarGrouping::Clustered.into()),
        vary_colors: Some(false),
        series: vec![series(totals)],
        gap_width: Some(80),
        axis_ids: vec![axis_id(CATEGORIES), axis_id(VALUES)],
        ..Default::default()
    };
    let categories = Axis {
        automatic: Some(true),
        label_alignment: Some(chart::LabelAlignment::Center.into()),
        label_offset: Some(100),
        no_multi_level_labels: Some(false),
        ..axis(CATEGORIES, VALUES, chart::AxisPosition::Bottom)
    };
    let values = Axis {
        major_gridlines: Some(Default::default()),
        cross_between: Some(chart::CrossBetween::Between.into()),
        ..axis(VALUES, CATEGORIES, chart::AxisPosition::Left)
    };
    let content = [Item::Bar(bars.into()), Item::CategoryAxis(categories.into()), Item::ValueAxis(values.into())];
    let plot_area = chart::PlotArea {
        layout: Some(Default::default()),
        content: content.map(|item| PlotAreaItem { item: Some(item) }).to_vec(),
        ..Default::default()
    };
    let chart = chart::Chart {
        title: Some(title("Orders by region").into()),
        auto_title_deleted: Some(false),
        plot_area: Some(plot_area.into()),
        plot_visible_only: Some(true),
        show_blanks_as: Some(chart::BlanksAs::Gap.into()),
        ..Default::default()
    };
    chart::ChartSpace { rounded_corners: Some(false), chart: Some(chart.into()), ..Default::default() }
}

/// The cells that the columns show, and what was in them.
fn series(totals: &[f64]) -> chart::Series {
    let reference = |formula: &str, texts: &[&str]| chart::StringReference {
        formula: Some(formula.to_owned()),
        cache: Some(strings(texts)),
        ..Default::default()
    };
    let name = chart::SeriesText { reference: Some(reference("Summary!$B$1", &["Total"]).into()), ..Default::default() };
    let categories = reference("Summary!$A$2:$A$4", &REGIONS);
    let values = chart::NumberReference {
        formula: Some("Summary!$B$2:$B$4".to_owned()),
        cache: Some(numbers(totals).into()),
        ..Default::default()
    };
    chart::Series {
        index: Some(0),
        order: Some(0),
        text: Some(name),
        invert_if_negative: Some(false),
        categories: Some(chart::CategorySource { string_reference: Some(categories.into()), ..Default::default() }.into()),
        values: Some(chart::NumberSource { reference: Some(values), ..Default::default() }.into()),
        ..Default::default()
    }
}

fn strings(texts: &[&str]) -> chart::StringData {
    let points = texts.iter().zip(0..).map(|(text, index)| chart::StringPoint {
        index: Some(index),
        value: Some((*text).to_owned()),
        ..Default::default()
    });
    chart::StringData { point_count: u32::try_from(texts.len()).ok(), points: points.collect(), ..Default::default() }
}

fn numbers(values: &[f64]) -> chart::NumberData {
    let points = values.iter().zip(0..).map(|(value, index)| chart::NumberPoint {
        index: Some(index),
        value: Some(*value),
        ..Default::default()
    });
    chart::NumberData {
        format_code: Some("General".to_owned()),
        point_count: u32::try_from(values.len()).ok(),
        points: points.collect(),
        ..Default::default()
    }
}

fn axis(id: i64, crossing: i64, position: chart::AxisPosition) -> Axis {
    let orientation = Some(chart::Orientation::MinimumToMaximum.into());
    Axis {
        id: Some(id),
        scaling: Some(chart::Scaling { orientation, ..Default::default() }.into()),
        deleted: Some(false),
        position: Some(position.into()),
        number_format: Some(chart::NumberFormat {
            format_code: Some("General".to_owned()),
            source_linked: Some(true),
            ..Default::default()
        }),
        major_tick_mark: Some(chart::TickMark::Outside.into()),
        minor_tick_mark: Some(chart::TickMark::None.into()),
        tick_label_position: Some(chart::TickLabelPosition::NextTo.into()),
        crossing_axis_id: Some(crossing),
        crosses: Some(chart::AxisCrosses::AutoZero.into()),
        ..Default::default()
    }
}

fn title(text: &str) -> chart::Title {
    let run = drawing::TextRun { text: Some(text.to_owned()), ..Default::default() };
    let content = vec![drawing::TextItem { item: Some(drawing::text_item::Item::Run(run)) }];
    let rich = drawing::TextBody {
        body_properties: Some(Default::default()),
        paragraphs: vec![drawing::TextParagraph { content, ..Default::default() }],
        ..Default::default()
    };
    chart::Title {
        text: Some(chart::Text { rich: Some(rich), ..Default::default() }.into()),
        overlay: Some(false),
        ..Default::default()
    }
}
