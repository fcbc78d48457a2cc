// Package security has cases about who gets devices, and who may not: admin access, and
// users with few rights. What the API server alone refuses is in package api.
package security
