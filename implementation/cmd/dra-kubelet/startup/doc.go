// Package startup reads the kubelet's flags and configuration files, and hands the
// finished configuration and dependencies to the function that runs the kubelet.
//
// Kubernetes' own command does the same in one closure that nothing can be put into
// (cmd/kubelet/app/server.go). So this package does it again, with the exported parts
// of the kubelet, and behaves alike: same flags, files, precedence, --help, --version
// and /flagz. upstream_test.go fails when the functions it stands for change.
//
// Start with Command.
package startup
