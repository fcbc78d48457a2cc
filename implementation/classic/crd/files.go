package crd

import "embed"

// Files are the definitions, one in each file.
//
//go:embed *.yaml
var Files embed.FS
