// Package nodefile spoils files of a node, and undoes that. Start with Damage.
package nodefile
