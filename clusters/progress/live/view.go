/*
Copyright The dratest Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

package live

import (
	"fmt"
	"io"
	"strings"

	"github.com/mattn/go-runewidth"
)

const (
	// barWidth is the width of a bar with its brackets.
	barWidth = 24
	// mostLines is the maximum number of lines below a task.
	mostLines = 8
	// otherLines is the number of terminal lines kept free.
	otherLines = 6
)

// View is the content of a task.
type View struct {
	// Done of Total draws a bar; without Total there is none.
	Done, Total int
	// Text is one line, next to the bar.
	Text string
	// Lines are drawn below, as far as there is room.
	Lines []string
}

// lines returns the lines of the area, each cut to the width: a wrapped line would shift everything drawn after it.
func (v View) lines(width, height int, bar func(io.Writer) error) []string {
	var first strings.Builder
	if v.Total > 0 && bar(&first) == nil {
		first.WriteString(" ")
	}
	first.WriteString(v.Text)
	all := []string{cut(first.String(), width)}
	room := max(1, min(mostLines, height-otherLines))
	for i, line := range v.Lines {
		if i == room-1 && len(v.Lines) > room {
			return append(all, cut(fmt.Sprintf("     and %d more", len(v.Lines)-i), width))
		}
		all = append(all, cut("     "+line, width))
	}
	return all
}

// cut leaves the last column free.
func cut(line string, width int) string {
	line = strings.Join(strings.FieldsFunc(line, func(r rune) bool { return r < ' ' || r == 0x7f }), " ")
	return runewidth.Truncate(line, max(1, width-1), "…")
}
