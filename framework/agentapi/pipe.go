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
