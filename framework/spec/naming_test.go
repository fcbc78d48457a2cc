package spec

import "testing"

func TestNames(t *testing.T) {
	for text, want := range map[string]bool{
		"gpu.example.com": true, "plugins/gpu.example.com/dra.sock": true, "gpu.example.com-reg.sock": true, "cdi: x-gpu.example.com_1.json": true,
		"xgpu.example.com": false, "gpu.example.community": false, "xgpu.example.com gpu.example.com": true, "gpu.example": false, "": false,
	} {
		if got := Names("gpu.example.com", text); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}
