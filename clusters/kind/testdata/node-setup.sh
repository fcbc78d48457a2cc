set -e
ip route replace 10.244.0.0/24 via 172.18.0.2
ip route replace 10.244.2.0/24 via 172.18.0.4
iptables -w -t nat -A POSTROUTING -s 10.244.1.0/24 ! -d 10.244.0.0/16 -j MASQUERADE
mkdir -p /etc/cni/net.d
cat > /etc/cni/net.d/.dratest
mv /etc/cni/net.d/.dratest /etc/cni/net.d/10-dratest.conflist
