// Package metadata reads the files with which drivers describe devices to containers.
package metadata
