// Package binding holds the cases of device binding conditions (KEP-5007): pods
// that are bound only when their devices are ready, and placed elsewhere when
// these never are. One case per file, named after what happens.
//
// The test driver plays the fabric: it is silent until a case scripts it.
package binding
