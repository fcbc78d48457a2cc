package evidence

import "bytes"

// tail keeps the last bytes that are written to it, from the start of a line.
type tail struct {
	limit   int
	content []byte
	cut     bool
}

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.content = append(t.content, p...)
	// Dropping only when twice the limit is reached keeps copying rare.
	if len(t.content) > 2*t.limit {
		t.drop()
	}
	return len(p), nil
}

func (t *tail) drop() {
	if excess := len(t.content) - t.limit; excess > 0 {
		t.content = append([]byte(nil), t.content[excess:]...)
		t.cut = true
	}
}

// Bytes returns at most limit bytes.
func (t *tail) Bytes() []byte {
	t.drop()
	if !t.cut {
		return t.content
	}
	_, whole, _ := bytes.Cut(t.content, []byte("\n"))
	return whole
}
