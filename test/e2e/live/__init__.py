"""berth against the real control plane: real kube-schedulers, a real API server, no kubelet."""
