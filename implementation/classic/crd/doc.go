// Package crd has the CustomResourceDefinitions of classic DRA, which are made from
// classic/api/v1alpha1.
package crd
