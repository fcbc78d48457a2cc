package versions

// "go run ./clusters/images/addversion" writes this table.
//
//nolint:gochecknoglobals // a table
var table = []Version{ // newest first
	{
		Kubernetes: "v1.37.1", Pause: "3.10.2", Etcd: "3.7.0-0", Built: "2026-09-23T17:06:22Z",
		Published: "v1.37.0", Digest: "sha256:a1ed56cfb0e7b93589bdf97c8cd566405a265939e3620fc4f5de89adff580ae5",
	},
	{
		Kubernetes: "v1.36.4", Pause: "3.10.2", Etcd: "3.6.8-0", Built: "2026-08-20T11:51:43Z",
		Published: "v1.36.4", Digest: "sha256:099e049362a1526b2db71494e1947aae99bd16290d7c895f2b7ea312e3cbfaed",
	},
	{
		Kubernetes: "v1.35.8", Pause: "3.10.1", Etcd: "3.6.6-0", Built: "2026-08-20T15:16:14Z",
		Published: "v1.35.8", Digest: "sha256:07b2536e30b803ed61d1677a79df6115f798ce64c80f9e22f6ed45afd09323c0",
	},
	{
		Kubernetes: "v1.34.4", Pause: "3.10.1", Etcd: "3.6.5-0", Built: "2026-02-10T12:53:36Z",
		Published: "v1.34.11", Digest: "sha256:44e222ee2132dab25ff87301682f89eb82c7880ea3a1bf543bfe9708fd08d67d",
	},
}
