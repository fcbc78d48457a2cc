/*
Copyright The dratest Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

package broken

import (
	"k8s.io/client-go/kubernetes"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Driver is a mutant's change of a driver; the zero value is a correct driver.
type Driver struct {
	around func(Place, kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin
	// calls wraps whole calls, outside of around.
	calls     func(kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin
	inventory func(*spec.Profile)
	process   Process
}

// Place has the paths of the mutated driver.
type Place struct {
	Driver string
	// CDIDir has its CDI specs, StateDir its state across processes, and KubeletRoot is the kubelet's root directory.
	CDIDir, StateDir, KubeletRoot string
	Client                        kubernetes.Interface
	// Release is the driver's release: 2, or 1 for the previous one.
	Release int
}

// By returns the driver with these mutants.
func By(ids ...string) Driver {
	var d Driver
	for _, id := range ids {
		d = d.and(drivers[id])
	}
	return d
}

// and has the mutants of both; the other one is closer to the kubelet.
func (d Driver) and(other Driver) Driver {
	return Driver{
		around: func(place Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
			return other.inside(place, d.inside(place, driver))
		},
		calls: func(driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin { return other.outside(d.outside(driver)) },
		inventory: func(p *spec.Profile) {
			d.Inventory(p)
			other.Inventory(p)
		},
		process: d.process.and(other.process),
	}
}

// Around wraps a driver with the mutant.
func (d Driver) Around(place Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	return d.outside(d.inside(place, driver))
}

func (d Driver) inside(place Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	if d.around == nil {
		return driver
	}
	return d.around(place, driver)
}

func (d Driver) outside(driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	if d.calls == nil {
		return driver
	}
	return d.calls(driver)
}

// Process is the mutant's behavior outside of claim calls.
func (d Driver) Process() Process { return d.process }

// Inventory changes the published inventory.
func (d Driver) Inventory(p *spec.Profile) {
	if d.inventory != nil {
		d.inventory(p)
	}
}

// drivers has one for each mutant.
//
//nolint:gochecknoglobals // a table
var drivers = map[string]Driver{
	"invalid-attribute":         {inventory: invalidAttribute},
	"too-many-devices":          {inventory: tooManyDevices, process: Process{Undivided: true}},
	"publishes-once":            {process: Process{PublishesOnce: true}},
	"hard-coded-root":           {process: Process{getInfo: hardCodedRoot}},
	"registers-once":            {process: Process{getInfo: registersOnce()}},
	"sockets-left":              {process: Process{LeavesSockets: true}},
	"orphans-stay":              {around: orphansStay},
	"checkpoint-of-one-release": {around: checkpointOfOneRelease},
	"panics-on-damage":          {around: panicsOnDamage},
	"stale-cdi-cache":           {around: staleCDICache},
	"lost-with-container":       {around: lostWithContainer},
	"restored-prepare":          {around: restoredPrepare},
	"reboot-taken-for-restart":  {around: rebootTakenForRestart},
	"repeated-prepare":          {around: repeatedPrepare},
	"state-before-cdi":          {around: stateBeforeCDI},
	"no-device-nodes":           {around: noDeviceNodes},
	"share-id-missing":          {around: shareIDMissing},
	"half-prepared":             {around: halfPrepared},
	"no-roll-back":              {around: noRollBack},
	"unprepare-needs-claim":     {around: unprepareNeedsClaim},
	"stale-prepare":             {around: stalePrepare},
	"new-prepare-first":         {around: newPrepareFirst},
	"forgets-on-restart":        {around: forgetsOnRestart},
	"start-up-pruning":          {around: startUpPruning},
	"names-change":              {inventory: namesChange},
	"last-device-missing":       {inventory: lastDeviceMissing},
	"one-socket":                {process: Process{OneSocket: true}},
	"slices-removed":            {process: Process{RemovesSlices: true}},
	"reads-once":                {around: readsOnce},
	"configured-once":           {around: configuredOnce},
	"stays-unhealthy":           {process: Process{StaysUnhealthy: true}},
	"specs-stay":                {around: specsStay},
	"other-drivers-results":     {around: otherDriversResults},
	"subrequest-config":         {around: subrequestConfig},
	"config-requests-required":  {around: configRequestsRequired},
	"old-api-dropped":           {process: Process{options: []kubeletplugin.Option{kubeletplugin.NodeV1beta1(false)}}},
	"directory-shared":          {process: Process{companion: secondInDirectory}},
	"health-fails":              {around: func(_ Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin { return healthFails{driver} }},
	"old-health-dropped":        {process: Process{options: []kubeletplugin.Option{kubeletplugin.HealthV1alpha1(false)}}},
	"updates-lost":              {around: updatesLost, process: Process{options: []kubeletplugin.Option{kubeletplugin.Serialize(false)}}},
	"slow-prepare":              {around: slowPrepare},
	"only-errors-answered":      {calls: func(driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin { return onlyErrors{driver} }},
	"all-or-nothing":            {calls: func(driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin { return allOrNothing{driver} }},
	"all-requests":              {around: allRequests},
	"unqualified-names":         {around: unqualifiedNames},
	"names-reused":              {around: namesReused},
	"old-answers-incomplete":    {process: Process{answer: oldAnswersIncomplete}},
	"claims-by-name":            {process: Process{answer: claimsByName}},
	"errors-hidden":             {process: Process{answer: errorsHidden}},
	"withdrawn-prepared":        {around: withdrawnPrepared},
	"in-use-prepared":           {around: inUsePrepared},
	"admin-tears-down":          {around: adminTearsDown},
	"users-miscounted":          {around: usersMiscounted},
	"unknown-refused":           {around: unknownRefused},
	"second-file-stays":         {around: secondFileStays},
	"forgotten-first":           {around: forgottenFirst},
	"own-taken-for-others":      {around: ownTakenForOthers},
	"invalid-config-dropped":    {around: invalidConfigDropped},
	"unknown-kind-panics":       {around: unknownKindPanics},
	"other-drivers-config":      {around: otherDriversConfig},
	"config-of-all-requests":    {around: configOfAllRequests},
	"checkpoint-overwritten":    {around: checkpointOverwritten},
	"last-config-only":          {around: lastConfigOnly},
	"configs-by-position":       {around: configsByPosition},
	"alternatives-by-name":      {around: alternativesByName},
	"config-of-any-alternative": {around: configOfAnyAlternative},
	"first-of-count":            {around: firstOfCount},
	"freed-one-by-one":          {around: freedOneByOne},
	"state-by-name":             {around: stateByName},
	"pool-ignored":              {around: poolIgnored},
	"devices-twice":             {around: devicesTwice},
	"share-remembered":          {around: shareRemembered},
	"shares-merged":             {around: sharesMerged},
	"unprepare-errors-dropped":  {around: unprepareErrorsDropped},
	"capacity-not-checked":      {around: capacityNotChecked},
	"pool-of-all-nodes":         {process: Process{OnePool: true}},
	"updated-slice-lost":        {process: Process{ForgetsUpdated: true}},
	"created-slice-lost":        {process: Process{ForgetsCreated: true}},
	"no-devices":                {inventory: noDevices},
	"prepares-anew":             {around: preparesAnew},
	"last-device-fails":         lastDeviceFails(),
	"gone-device-published":     goneDevicePublished(),
	"used-once":                 {around: usedOnce},
}
