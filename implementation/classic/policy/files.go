package policy

import "embed"

// Files are the policies, each with its binding in one file.
//
//go:embed *.yaml
var Files embed.FS
