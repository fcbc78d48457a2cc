package host

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCDIDevicesOfContainer(t *testing.T) {
	for _, tc := range []struct {
		name, info string
		want       []string
		fails      bool
	}{
		{"two", `{"pid": 1, "config": {"metadata": {"name": "main"}, "CDI_devices": [{"name": "v/c=a"}, {"name": "v/c=b"}]}}`, []string{"v/c=a", "v/c=b"}, false},
		{"none", `{"config": {"metadata": {"name": "main"}}}`, []string{}, false},
		{"not told", `{"pid": 1}`, nil, true},
		{"no JSON", ``, nil, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := cdiDevices(map[string]string{"info": tc.info})
			if d := cmp.Diff(tc.want, got); d != "" || (err != nil) != tc.fails {
				t.Error(err, d)
			}
		})
	}
}
