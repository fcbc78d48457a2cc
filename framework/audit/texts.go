package audit

import (
	"strings"
)

// Texts are violations, one a line.
func Texts(found []Violation) string {
	lines := make([]string, 0, len(found))
	for _, v := range found {
		lines = append(lines, v.String())
	}
	return strings.Join(lines, "\n")
}
