set -e
cat > /usr/local/bin/dratest-podnetwork <<'END'
#!/bin/sh
# Connects this node's pods: to those of other nodes by a route for each node, to all
# else by masquerading. It looks for the nodes by their names, again and again: the
# engine may give one another address whenever it starts (docs/adr/0015).
#
#   dratest-podnetwork once|keep POD-SUBNET [NODE=POD-CIDR]...
set -u
mode=$1 subnet=$2
shift 2

# A node that is down must not hold up the others for long.
export RES_OPTIONS='timeout:1 attempts:1'

# routes prints a route for each node that has an address; it fails if one has none.
routes() {
	status=0
	for node; do
		address=$(getent ahostsv4 "${node%%=*}") || {
			status=1
			continue
		}
		echo "route replace ${node#*=} via ${address%% *}"
	done
	return $status
}

# Outside of the pods' own network nobody has a route back to them.
masquerade="POSTROUTING -s $subnet ! -d $subnet -j MASQUERADE"
# shellcheck disable=SC2086 # they are words
iptables -w -t nat -C $masquerade 2>/dev/null || iptables -w -t nat -A $masquerade || exit

set_before=
while :; do
	wanted=$(routes "$@")
	found=$?
	if [ "$wanted" != "$set_before" ]; then
		echo "$wanted" | ip -force -batch - && set_before=$wanted
	fi
	if [ "$mode" = once ]; then
		[ $found = 0 ] || echo "some of these nodes have no address yet: $*" >&2
		exit $found
	fi
	sleep 2
done
END
chmod 755 /usr/local/bin/dratest-podnetwork
cat > /etc/systemd/system/dratest-podnetwork.service <<'END'
[Unit]
Description=Connects the pods of this node (dratest)

[Service]
ExecStart=/usr/local/bin/dratest-podnetwork keep 10.244.0.0/16 x-control-plane=10.244.0.0/24 x-worker2=10.244.2.0/24
Restart=always

[Install]
WantedBy=multi-user.target
END
mkdir -p /etc/systemd/system/cri-containerd-.scope.d
cat > /etc/systemd/system/cri-containerd-.scope.d/dratest.conf <<'END'
[Scope]
TimeoutStopSec=5s
END
dratest-podnetwork once 10.244.0.0/16 x-control-plane=10.244.0.0/24 x-worker2=10.244.2.0/24
systemctl enable --quiet --now dratest-podnetwork
mkdir -p /etc/cni/net.d
cat > /etc/cni/net.d/.dratest
mv /etc/cni/net.d/.dratest /etc/cni/net.d/10-dratest.conflist
