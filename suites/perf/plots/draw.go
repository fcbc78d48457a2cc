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

	"github.com/dra-conformance/dratest/suites/perf"
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

// svg is a plot as an element for a page. The title is for those who do not see it.
func svg(p *plot.Plot, title string) (template.HTML, error) {
	p.BackgroundColor = color.White
	p.Legend.Top, p.Legend.Left = true, true
	canvas := vgsvg.New(width, height)
	p.Draw(draw.New(canvas))
	var out bytes.Buffer
	if _, err := canvas.WriteTo(&out); err != nil {
		return "", fmt.Errorf("write a plot: %w", err)
	}
	// Without the XML declaration, which has no place within a page.
	_, element, _ := bytes.Cut(out.Bytes(), []byte("<svg"))
	head := fmt.Sprintf("<svg role=\"img\" aria-label=%q", template.HTMLEscapeString(title))
	return template.HTML(head + string(element)), nil //nolint:gosec // made here, from numbers and escaped names
}
