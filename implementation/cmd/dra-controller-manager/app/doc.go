// Package app is the command dra-controller-manager: its flags, its server, the
// election of a leader and the controllers that the leader runs. Start at NewCommand.
// A Program with other controllers is such a command, too.
package app
