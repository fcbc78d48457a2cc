// Package kube makes clients for Kubernetes' API that cost a program little: client-go's
// clientset links the clients of all API groups.
//
// Start with NewForConfig.
package kube
