package spec

// Flaw is a way in which a driver is broken beside its answers to the kubelet.
type Flaw string

// The ways in which a driver can be made to be broken from its start on.
const (
	// FlawNoOwner: slices are not owned by their node.
	FlawNoOwner Flaw = "NoOwner"
	// FlawInPlace: slices are changed in place, one after the other, and keep the pool's
	// generation.
	FlawInPlace Flaw = "InPlace"
	// FlawOneVersion: slices are written in v1 of the API, whatever the API server serves.
	FlawOneVersion Flaw = "OneVersion"
	// FlawNoMapping: devices are published without the resources of their node that they stand for.
	FlawNoMapping Flaw = "NoMapping"
	// FlawUnchecked: nobody looks what the API server has kept of a slice.
	FlawUnchecked Flaw = "Unchecked"
	// FlawAtOnce: calls are worked on at the same time.
	FlawAtOnce Flaw = "AtOnce"
	// FlawNewestMetadata: metadata is written in the newest version only.
	FlawNewestMetadata Flaw = "NewestMetadata"
	// FlawMetadataOfClaim: the file of a claim from a template is at the path of one that the
	// pod names.
	FlawMetadataOfClaim Flaw = "MetadataOfClaim"
	// FlawMetadataWithoutDriver: the name of the file with metadata does not say of which driver.
	FlawMetadataWithoutDriver Flaw = "MetadataWithoutDriver"
	// FlawMetadataWritable: containers can write the file with metadata.
	FlawMetadataWritable Flaw = "MetadataWritable"
	// FlawUnprepareAll: with one claim all others of the driver are unprepared.
	FlawUnprepareAll Flaw = "UnprepareAll"
	// FlawNoStatus: nothing is told of devices in the status of claims.
	FlawNoStatus Flaw = "NoStatus"
	// FlawOneCondition: of the conditions that make a device ready only the first comes true.
	FlawOneCondition Flaw = "OneCondition"
)

// Flaws lists them all.
func Flaws() []Flaw {
	return []Flaw{
		FlawNoOwner, FlawInPlace, FlawOneVersion, FlawNoMapping, FlawUnchecked, FlawAtOnce,
		FlawNewestMetadata, FlawMetadataOfClaim, FlawMetadataWithoutDriver, FlawMetadataWritable, FlawUnprepareAll, FlawNoStatus, FlawOneCondition,
	}
}

// Publishes is whether a driver with the flaw writes its slices itself, where it would
// leave that to the library.
func (f Flaw) Publishes() bool { return f == FlawInPlace || f == FlawOneVersion || f == FlawUnchecked }
