// Package parametersref reads the objects that classes and claims of classic DRA name in
// parametersRef: ConfigMaps, or any other kind that the API server has, as one of the
// driver's own. Drivers call it in Driver.Parameters; what is in an object is theirs to
// decode. Nothing is watched: an object is read for each attempt to allocate (docs/adr/0021).
//
// The driver's account needs get on each kind that it is to read, and no other right: a
// parametersRef to another kind is refused by the API server. Start at Reader.
package parametersref
