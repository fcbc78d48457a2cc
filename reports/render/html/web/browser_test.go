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

package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// browsers are names of the Chromium binary; CHROMIUM overrides them.
var browsers = []string{"chromium", "chromium-browser", "google-chrome"}

const noBrowser = `no Chromium was found: install it (Debian, Ubuntu: "apt-get install chromium"), or name one in $CHROMIUM`

// root is the main module's directory.
const root = "../../../.."

// reportFile is the rendered report.html of testdata.
var reportFile string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "report-html")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer func() { _ = os.RemoveAll(dir) }()
		if err := makeReport(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return m.Run()
	}())
}

// makeReport renders $REPORT_DIR or testdata.
func makeReport(dir string) error {
	source := os.Getenv("REPORT_DIR")
	if source == "" {
		source = "testdata"
	}
	source, err := filepath.Abs(source)
	if err != nil {
		return err
	}
	var problem strings.Builder
	command := exec.Command("go", "run", "-buildvcs=false", "./cmd/dratest", "report", "-o", "html", source)
	command.Dir, command.Stderr = root, &problem
	page, err := command.Output()
	// The report has failed cases, so the exit code is not 0.
	if errors.As(err, new(*exec.ExitError)) && len(page) > 0 {
		err = nil
	}
	if err != nil {
		return fmt.Errorf("render %s: %w: %s", source, err, problem.String())
	}
	reportFile = filepath.Join(dir, "report.html")
	return os.WriteFile(reportFile, page, 0o600)
}

func browser(t *testing.T) string {
	t.Helper()
	names := browsers
	if named := os.Getenv("CHROMIUM"); named != "" {
		names = []string{named}
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal(noBrowser)
	return ""
}

// look is a browser configuration.
type look struct {
	name          string
	width, height int64
	dark, touch   bool
	noScript      bool
	media         string // for example print
}

var (
	desktop = look{name: "desktop", width: 1280, height: 900}
	dark    = look{name: "dark", width: 1280, height: 900, dark: true}
	phone   = look{name: "phone", width: 390, height: 844, touch: true}
)

// tab is an open page.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	problems []string
}

// open opens the report at a URL fragment. The test fails on any console message or network request.
func open(t *testing.T, l look, fragment string) *tab {
	t.Helper()
	// The sandbox needs user namespaces, unavailable in containers and for root. The page is trusted.
	limit, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	b := &tab{t: t}
	b.ctx, cancel = chromedp.NewContext(limit, chromedp.WithListener(b.listen), chromedp.WithAllocatorOptions(
		chromedp.ExecPath(browser(t)), chromedp.NoSandbox, chromedp.Flag("disable-dev-shm-usage", true)))
	t.Cleanup(cancel)
	scheme := "light"
	if l.dark {
		scheme = "dark"
	}
	var options []chromedp.EmulateViewportOption
	if l.touch {
		options = append(options, chromedp.EmulateMobile, chromedp.EmulateTouch)
	}
	b.run(chromedp.EmulateViewport(l.width, l.height, options...))
	if _, err := chromedp.Call(b.ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	if l.noScript {
		if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
			t.Fatal(err)
		}
	}
	features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: l.media, Features: features}); err != nil {
		t.Fatal(err)
	}
	b.run(chromedp.Navigate("file://" + reportFile + fragment))
	t.Cleanup(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, p := range b.problems {
			t.Error(p)
		}
	})
	return b
}

func (b *tab) listen(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		text := string(e.Type)
		for _, a := range e.Args {
			text += " " + string(a.Value) + a.Description
		}
		b.problems = append(b.problems, "console: "+text)
	case *runtime.EventExceptionThrown:
		b.problems = append(b.problems, "exception: "+e.ExceptionDetails.Text)
	case *log.EventEntryAdded: // also what the policy of the page forbids
		b.problems = append(b.problems, "log: "+e.Entry.Text)
	case *network.EventRequestWillBeSent:
		if url := e.Request.URL; !strings.HasPrefix(url, "file://") && !strings.HasPrefix(url, "data:") {
			b.problems = append(b.problems, "request to "+url)
		}
	}
}

func (b *tab) run(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// do runs a statement.
func (b *tab) do(statement string) {
	b.t.Helper()
	b.run(chromedp.Evaluate[chromedp.Void](statement))
}

func (b *tab) click(selector string) {
	b.t.Helper()
	b.run(chromedp.Click(chromedp.CSS(selector)))
}

// eval evaluates an expression and awaits promises.
func eval[V any](b *tab, expression string) V {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[V](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// await waits until an expression is true.
func (b *tab) await(expression string) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, chromedp.Poll[chromedp.Void](expression, chromedp.WithPollingTimeout(20*time.Second))); err != nil {
		b.t.Fatalf("wait for %s: %v", expression, err)
	}
}

// ids returns the visible cases of the table.
func (b *tab) ids() []string {
	b.t.Helper()
	return eval[[]string](b, `[...document.querySelectorAll("tbody tr")].filter(r => r.getClientRects().length).map(r => r.dataset.id)`)
}

// screenshot saves the window into $SCREENSHOTS.
func (b *tab) screenshot(name string) {
	b.t.Helper()
	dir := os.Getenv("SCREENSHOTS")
	if dir == "" {
		return
	}
	picture, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o600)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// accessible fails on axe-core findings.
func (b *tab) accessible() {
	b.t.Helper()
	b.do(axe(b.t))
	result := eval[string](b, `axe.run(document, {resultTypes: ["violations"]}).then(r => JSON.stringify(
		r.violations.map(v => v.id + " (" + v.impact + "): " + v.help + ": " + v.nodes.slice(0, 3).map(n => n.html + " " + (n.any[0]?.message ?? "")).join(" | "))))`)
	var violations []string
	if err := json.Unmarshal([]byte(result), &violations); err != nil {
		b.t.Fatal(err)
	}
	for _, v := range violations {
		b.t.Errorf("axe: %s", v)
	}
}
