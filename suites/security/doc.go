// Package security has the cases for access to devices: admin access, and users with few rights.
// Rules enforced by the API server alone are in package api.
package security
