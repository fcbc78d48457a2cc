package clusters

import "io"

// ComponentImage is a container image of one of this project's components, which
// takes the place of one of Kubernetes' own.
type ComponentImage struct {
	// Ref names exactly this content.
	Ref string
	// Archive writes the image as an archive that container runtimes import.
	Archive func(w io.Writer) error
	// Kubernetes is the version that the component reports.
	Kubernetes string
	// Args are added to the arguments of the stock component, whose image is replaced.
	Args []string
	// Manifest is what has to be applied for a component that runs beside the stock
	// ones instead, with arguments besides its own.
	Manifest func(args []string) ([]byte, error)
}

// ComponentBinary is a program of this project that runs on nodes.
type ComponentBinary struct {
	// Path is where it is on this machine; it is static.
	Path string
	// Key stands for its content.
	Key string
	// Kubernetes is the version that the component reports, before spec.OwnKubeletMark.
	Kubernetes string
}
