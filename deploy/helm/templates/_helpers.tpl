{{/* The name of every object: the release's, which holds the chart's name already or gets it. */}}
{{- define "aps.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{/* The labels by which the pods of a process are selected. Called with (list $ "api"). */}}
{{- define "aps.selector" -}}
app.kubernetes.io/name: {{ (index . 0).Chart.Name }}
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- define "aps.labels" -}}
{{ include "aps.selector" . }}
app.kubernetes.io/version: {{ (index . 0).Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ (index . 0).Release.Service }}
helm.sh/chart: {{ printf "%s-%s" (index . 0).Chart.Name (index . 0).Chart.Version }}
{{- end }}

{{/* The pod of a process. Called with (list $ "api"). */}}
{{- define "aps.pod" -}}
{{- $ := index . 0 -}}
{{- $component := index . 1 -}}
{{- $process := index $.Values (eq $component "worker" | ternary "worker" "api") -}}
metadata:
  labels:
    {{- include "aps.labels" . | nindent 4 }}
  annotations:
    checksum/settings: {{ toJson $.Values.settings | sha256sum }}
spec:
  {{- if ne $component "setup" }}
  serviceAccountName: {{ include "aps.name" $ }}
  {{- end }}
  automountServiceAccountToken: false
  terminationGracePeriodSeconds: {{ $.Values.terminationGracePeriodSeconds }}
  {{- with $.Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 1000
    runAsGroup: 1000
    fsGroup: 1000
    seccompProfile:
      type: RuntimeDefault
  {{- if eq $component "setup" }}
  restartPolicy: Never
  {{- else }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "aps.selector" . | nindent 10 }}
  {{- end }}
  {{- with $process.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $process.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: {{ $component }}
      image: "{{ $.Values.image.repository }}:{{ $.Values.image.tag | default $.Chart.AppVersion }}"
      imagePullPolicy: {{ $.Values.image.pullPolicy }}
      command: ["node", "dist/apps/api/src/bin/{{ eq $component "api" | ternary "server" $component }}.js"]
      env:
        - { name: HOST, value: "0.0.0.0" }
        - { name: PORT, value: "3000" }
        - { name: METRICS_PORT, value: "9464" }
        - { name: WORKER, value: apart }
        - { name: LOG_FORMAT, value: json }
        - { name: DATA_DIR, value: /tmp/data }
        {{- range $name, $value := $.Values.settings }}
        - { name: {{ $name }}, value: {{ $value | toString | quote }} }
        {{- end }}
      envFrom:
        - secretRef:
            name: {{ $.Values.secretName }}
      {{- if ne $component "setup" }}
      ports:
        {{- if eq $component "api" }}
        - { name: http, containerPort: 3000 }
        {{- end }}
        - { name: metrics, containerPort: 9464 }
      {{- if eq $component "api" }}
      startupProbe:
        httpGet: { path: /health, port: http }
        periodSeconds: 2
        failureThreshold: 60
      readinessProbe:
        httpGet: { path: /ready, port: http }
        periodSeconds: 5
        timeoutSeconds: 5
      livenessProbe:
        httpGet: { path: /health, port: http }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      {{- else }}
      livenessProbe:
        httpGet: { path: /health, port: metrics }
        initialDelaySeconds: 30
        periodSeconds: 20
        timeoutSeconds: 10
        failureThreshold: 6
      {{- end }}
      {{- end }}
      resources:
        {{- toYaml $process.resources | nindent 8 }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities:
          drop: [ALL]
      volumeMounts:
        - { name: tmp, mountPath: /tmp }
  volumes:
    - name: tmp
      emptyDir: {}
{{- end }}
