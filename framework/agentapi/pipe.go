package agentapi

// Pipe reads and writes the data of the chunks of a stream. It implements io.ReadWriter.
type Pipe struct {
	Stream interface {
		Send(*Chunk) error
		Recv() (*Chunk, error)
	}
	unread []byte
}

// Read implements io.Reader.
func (p *Pipe) Read(b []byte) (int, error) {
	for len(p.unread) == 0 {
		chunk, err := p.Stream.Recv()
		if err != nil {
			return 0, err
		}
		p.unread = chunk.Data
	}
	n := copy(b, p.unread)
	p.unread = p.unread[n:]
	return n, nil
}

// Write implements io.Writer.
func (p *Pipe) Write(b []byte) (int, error) {
	if err := p.Stream.Send(&Chunk{Data: b}); err != nil {
		return 0, err
	}
	return len(b), nil
}
