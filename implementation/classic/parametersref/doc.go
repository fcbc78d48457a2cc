// Package parametersref reads objects referenced by parametersRef in classes and claims of classic
// DRA: ConfigMaps, or any other kind, such as the driver's own. Drivers call it in
// Driver.Parameters and decode the objects themselves. There is no watch: objects are read for each
// allocation attempt (docs/adr/0021).
//
// The driver's service account needs get on each referenced kind, and nothing else: the API server
// rejects other kinds. Start at Reader.
package parametersref
