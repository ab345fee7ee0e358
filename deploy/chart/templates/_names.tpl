{{- define "berth.labels" -}}
app.kubernetes.io/name: {{ .Release.Name }}
app.kubernetes.io/component: scheduler
{{- end }}

{{- define "berth.configuration" -}}
{{- $leader := dict "leaderElect" true "resourceNamespace" .Release.Namespace "resourceName" .Release.Name -}}
{{- $profiles := list (dict "schedulerName" .Values.schedulerName) -}}
{{- $defaults := dict "apiVersion" "kubescheduler.config.k8s.io/v1" "kind" "KubeSchedulerConfiguration" "leaderElection" $leader "profiles" $profiles -}}
{{- toYaml (mergeOverwrite $defaults (deepCopy .Values.configuration)) -}}
{{- end }}
