package plots

import (
	"bytes"
	"fmt"
	"html/template"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/dra-conformance/dratest/framework/perf"
)

const (
	width  = 14 * vg.Centimeter
	height = 9 * vg.Centimeter
)

// looks are how a side is drawn.
type looks struct {
	colour color.Color
	glyph  draw.GlyphDrawer
	dashes []vg.Length
}

func looksOf(side perf.Side) looks {
	if side == perf.Reference {
		return looks{color.Gray{Y: 90}, draw.RingGlyph{}, []vg.Length{vg.Points(5), vg.Points(3)}}
	}
	return looks{color.RGBA{B: 140, A: 255}, draw.CircleGlyph{}, nil}
}

// glyphs draws points.
func (l looks) glyphs(points plotter.XYs) (*plotter.Scatter, error) {
	s, err := plotter.NewScatter(points)
	if err != nil {
		return nil, fmt.Errorf("draw points: %w", err)
	}
	s.GlyphStyle = draw.GlyphStyle{Color: l.colour, Radius: vg.Points(2.5), Shape: l.glyph}
	return s, nil
}

// line draws a line through points.
func (l looks) line(points plotter.XYs) (*plotter.Line, error) {
	line, err := plotter.NewLine(points)
	if err != nil {
		return nil, fmt.Errorf("draw a line: %w", err)
	}
	line.Color, line.Width, line.Dashes = l.colour, vg.Points(1.5), l.dashes
	return line, nil
}

// bound draws where a threshold is.
func bound(points plotter.XYs) (*plotter.Line, error) {
	line, err := plotter.NewLine(points)
	if err != nil {
		return nil, fmt.Errorf("draw a bound: %w", err)
	}
	line.Color, line.Width, line.Dashes = color.Black, vg.Points(1), []vg.Length{vg.Points(1), vg.Points(2)}
	return line, nil
}

// ticks are those of a logarithmic axis: powers of ten over a wide range, round numbers
// over a narrow one.
func ticks(low, high float64) []plot.Tick {
	const wide = 20
	if high/low > wide {
		return plot.LogTicks{Prec: -1}.Ticks(low, high)
	}
	return plot.DefaultTicks{}.Ticks(low, high)
}

// figure is a plot with its caption, which says what is not to be seen by all.
func figure(p *plot.Plot, caption string) (template.HTML, error) {
	p.BackgroundColor = color.White
	canvas := vgsvg.New(width, height)
	// The last label of an axis reaches beyond it.
	const margin = 12 * vg.Millimeter
	p.Draw(draw.Crop(draw.New(canvas), 0, -margin, 0, -margin/3))
	var out bytes.Buffer
	if _, err := canvas.WriteTo(&out); err != nil {
		return "", fmt.Errorf("write a plot: %w", err)
	}
	// Without the XML declaration, which has no place within a page.
	_, element, _ := bytes.Cut(out.Bytes(), []byte("<svg"))
	text := template.HTMLEscapeString(caption)
	return template.HTML("<figure><svg role=\"img\" aria-label=\"" + text + "\"" + string(element) + "<figcaption>" + text + "</figcaption></figure>"), nil //nolint:gosec // made here, from numbers and escaped names
}

// name is what a side is called in captions, and how it is drawn.
func name(r perf.Record, side perf.Side) string {
	if side == perf.Reference {
		return fmt.Sprintf("reference %s (hollow, dashed)", r.Reference)
	}
	return fmt.Sprintf("candidate %s (filled, solid)", r.Candidate)
}
