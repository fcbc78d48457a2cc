// Command dra-whatif says which nodes the pods of a cluster need that wait for
// devices. Its --help has the rest.
package main

import (
	"context"
	"os"
	"os/signal"

	"github.com/dra-conformance/dratest/implementation/cmd/dra-whatif/app"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := app.Run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
