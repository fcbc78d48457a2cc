package companions

import "github.com/dra-conformance/dratest/framework/testbed"

// All returns all companions. A case that cannot have several is skipped because of the first.
func All() []testbed.Companion {
	return []testbed.Companion{composableFabric(), whatIf(), classicDRA()}
}
