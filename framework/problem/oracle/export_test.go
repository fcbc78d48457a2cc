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

package oracle

// Promises returns the IDs of all promises.
func Promises() []string {
	var ids []string
	for _, p := range []promise{
		unknownRefused, resultNamesRequest, exactCount, allRequests, everyDevice, allWaits, atMost32, published, newestGeneration, completePool,
		uniqueDevices, existingCounters, reachable, ownNodes, selectorNodes, bindsToNode, classExists, classSelectors, requestSelectors,
		enoughCapacity, consumption, consumedIfShared, capacityLimit, shareID, notShared, tolerated, tolerationsCopied, adminInResult,
		adminNamespace, counterLimit, matchAttribute, distinctAttribute, configOfRequest, configOfChosen, conditionsCopied, inOrder,
		waitsForConditions, failedIsReleased, timedOutIsReleased,
		allocatedFirst, reservedFirst, allocationNode, runsIfPossible, releasedIfStuck,
		pluginCapacity, noSpecialClaim, oneSpecialClaim, goneIfPending, claimInStatus, requestEach, requestOfClass, mappingOfPod, initReuse, sidecarKeeps,
	} {
		ids = append(ids, p.id)
	}
	return ids
}
