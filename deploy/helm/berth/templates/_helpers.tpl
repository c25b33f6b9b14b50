{{/* On every object. One berth per cluster, so nothing is named after the release. */}}
{{- define "berth.labels" -}}
app.kubernetes.io/name: berth
{{- end }}

{{/* The subject of every binding. */}}
{{- define "berth.subjects" -}}
- kind: ServiceAccount
  name: berth
  namespace: {{ .Release.Namespace }}
{{- end }}

{{/* What the pods of both modes share. */}}
{{- define "berth.pod" -}}
serviceAccountName: berth
automountServiceAccountToken: true
enableServiceLinks: false
terminationGracePeriodSeconds: 10
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  seccompProfile:
    type: RuntimeDefault
{{- end }}

{{/* Of every container. */}}
{{- define "berth.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{/* berth's container, but for arguments and ports. Takes root and host: where the probes go, empty for the pod. */}}
{{- define "berth.container" -}}
{{- $values := .root.Values -}}
name: berth
image: {{ $values.image.repository }}:{{ $values.image.tag | default .root.Chart.AppVersion }}
imagePullPolicy: {{ $values.image.pullPolicy }}
resources:
  {{- toYaml $values.resources | nindent 2 }}
securityContext:
  {{- include "berth.containerSecurity" . | nindent 2 }}
startupProbe:
  {{- include "berth.probe" (dict "path" "/healthz" "host" .host) | nindent 2 }}
  periodSeconds: 1
  failureThreshold: 30
livenessProbe:
  {{- include "berth.probe" (dict "path" "/healthz" "host" .host) | nindent 2 }}
  periodSeconds: 10
  timeoutSeconds: 2
readinessProbe:
  {{- include "berth.probe" (dict "path" "/readyz" "host" .host) | nindent 2 }}
  periodSeconds: 5
  timeoutSeconds: 2
volumeMounts:
- name: config
  mountPath: /etc/berth
  readOnly: true
{{- end }}

{{- define "berth.probe" -}}
httpGet:
  {{- with .host }}
  host: {{ . }}
  {{- end }}
  path: {{ .path }}
  port: admin
{{- end }}

{{/* The KubeSchedulerConfiguration of the second scheduler. */}}
{{- define "berth.schedulerConfig" -}}
{{- $second := .Values.secondScheduler -}}
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection:
  leaderElect: true
  resourceName: berth-scheduler
  resourceNamespace: {{ .Release.Namespace }}
percentageOfNodesToScore: {{ $second.percentageOfNodesToScore }}
profiles:
- schedulerName: {{ $second.schedulerName }}
extenders:
- urlPrefix: http://127.0.0.1:8888/v1
  filterVerb: filter
  prioritizeVerb: prioritize
  weight: {{ $second.extender.weight }}
  httpTimeout: {{ $second.extender.httpTimeout }}
  nodeCacheCapable: true
  ignorable: {{ $second.extender.ignorable }}
  {{- with $second.extender.managedResources }}
  managedResources:
  {{- range . }}
  - name: {{ . }}
    ignoredByScheduler: false
  {{- end }}
  {{- end }}
{{- end }}
