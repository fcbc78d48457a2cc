package deploy

// BrokenDir is the directory in a driver's own one in which a file with a device's name says
// that the device is broken: a driver that nobody controls has no other hardware.
const BrokenDir = "broken"
