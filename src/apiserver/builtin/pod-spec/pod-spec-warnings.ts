// SPDX-License-Identifier: Apache-2.0
// Warnings about a valid pod spec, with the messages of Kubernetes.

import { getKey, type JsonObject } from "../../json/json.ts";
import { countOf, objectAt, objectsAt, textOf } from "../../json/json-fields.ts";
import { isSet, pointedNumber } from "../checks/object-fields.ts";
import { isWholeQuantity } from "./quantity-value.ts";

/** Deprecated volume sources: field, its name in the warning, and the message. */
const oldVolumes: readonly [string, string, string][] = [
  ["photonPersistentDisk", "photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"],
  ["gitRepo", "gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"],
  ["scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+"],
  ["flocker", "flocker", "deprecated in v1.22, non-functional in v1.25+"],
  ["storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+"],
  ["quobyte", "quobyte", "deprecated in v1.22, non-functional in v1.25+"],
  ["glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+"],
  ["cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+"],
  ["rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+"],
];

const oldAnnotations: readonly [string, string][] = [
  ["scheduler.alpha.kubernetes.io/critical-pod", 'non-functional in v1.16+; use the "priorityClassName" field instead'],
  ["security.alpha.kubernetes.io/sysctls", 'non-functional in v1.11+; use the "sysctls" field instead'],
  ["security.alpha.kubernetes.io/unsafe-sysctls", 'non-functional in v1.11+; use the "sysctls" field instead'],
];

/** Deprecated node labels, and the message of Kubernetes about each. */
export const deprecatedNodeLabels: ReadonlyMap<string, string> = new Map([
  ["beta.kubernetes.io/arch", 'deprecated since v1.14; use "kubernetes.io/arch" instead'],
  ["beta.kubernetes.io/os", 'deprecated since v1.14; use "kubernetes.io/os" instead'],
  ["failure-domain.beta.kubernetes.io/region", 'deprecated since v1.17; use "topology.kubernetes.io/region" instead'],
  ["failure-domain.beta.kubernetes.io/zone", 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead'],
  ["beta.kubernetes.io/instance-type", 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead'],
  ["app.kubernetes.io/created-by", "deprecated since v1.9"],
  ["scheduler.alpha.kubernetes.io/preferAvoidPods", "deprecated since v1.22; use Taints and Tolerations instead"],
  ["node-role.kubernetes.io/master", 'use "node-role.kubernetes.io/control-plane" instead'],
]);

/** Warnings about a Pod or a pod template. `field` is the path of the template (`spec.template`), empty for a Pod. */
export function podSpecWarnings(holder: JsonObject, field: string): readonly string[] {
  const place = field === "" ? "" : `${field}.`;
  const spec = objectAt(holder, "spec") ?? {};
  const at = `${place}spec`;
  const annotations = objectAt(holder, "metadata", "annotations") ?? {};
  return [
    ...warnOfNodeLabels(spec, at),
    ...oldAnnotations.flatMap(([key, message]) =>
      getKey(annotations, key) === undefined ? [] : [`${place}metadata.annotations[${key}]: ${message}`],
    ),
    ...warnOfVolumes(spec, at),
    ...warnOfRepeats(objectsAt(spec, "hostAliases"), "ip", `${at}.hostAliases`),
    ...warnOfRepeats(objectsAt(spec, "imagePullSecrets"), "name", `${at}.imagePullSecrets`),
    ...objectsAt(spec, "imagePullSecrets").flatMap((secret, index) =>
      textOf(secret, "name") === "" ? [`${at}.imagePullSecrets[${index}].name: invalid empty name ""`] : [],
    ),
    ...containersOf(spec, at).flatMap(([container, containerField]) => warnOfContainer(container, containerField)),
    ...warnOfPorts(spec, at),
    ...warnOfPortNames(spec, at),
    ...warnOfGrace(spec, at),
    ...warnOfSelectors(spec, at),
  ];
}

function containersOf(spec: JsonObject, field: string): readonly (readonly [JsonObject, string])[] {
  return ["initContainers", "containers", "ephemeralContainers"].flatMap((list) =>
    objectsAt(spec, list).map((container, index) => [container, `${field}.${list}[${index}]`] as const),
  );
}

function warnOfNodeLabels(spec: JsonObject, field: string): readonly string[] {
  const keys = Object.keys(objectAt(spec, "nodeSelector") ?? {}).filter((key) => deprecatedNodeLabels.has(key));
  return [
    ...keys.map((key) => `${field}.nodeSelector[${key}]: ${deprecatedNodeLabels.get(key) ?? ""}`),
    ...objectsAt(spec, "topologySpreadConstraints").flatMap((constraint, index) => {
      const at = `${field}.topologySpreadConstraints[${index}]`;
      const key = textOf(constraint, "topologyKey");
      const isOld = deprecatedNodeLabels.has(key);
      return [
        ...(isOld ? [`${at}.topologyKey: ${key} is ${deprecatedNodeLabels.get(key) ?? ""}`] : []),
        ...(isSet(constraint, "labelSelector")
          ? []
          : [`${at}.labelSelector: a null labelSelector results in matching no pod`]),
      ];
    }),
  ];
}

function warnOfVolumes(spec: JsonObject, field: string): readonly string[] {
  return objectsAt(spec, "volumes").flatMap((volume, index) =>
    oldVolumes
      .filter(([key]) => isSet(volume, key))
      .map(([, shown, message]) => `${field}.volumes[${index}].${shown}: ${message}`),
  );
}

function warnOfRepeats(items: readonly JsonObject[], key: string, field: string): readonly string[] {
  const seen = new Set<string>();
  return items.flatMap((item, index) => {
    const value = textOf(item, key);
    if (seen.has(value)) return [`${field}[${index}].${key}: duplicate ${key} ${JSON.stringify(value)}`];
    seen.add(value);
    return [];
  });
}

function warnOfContainer(container: JsonObject, field: string): readonly string[] {
  const warnings: string[] = [];
  for (const resource of ["memory", "ephemeral-storage"])
    for (const list of ["limits", "requests"]) {
      const amount = textOf(container, "resources", list, resource);
      if (amount !== "" && !isWholeQuantity(amount))
        warnings.push(
          `${field}.resources.${list}[${resource}]: fractional byte value ${JSON.stringify(amount)} is invalid, must be an integer`,
        );
    }
  const names = new Set<string>();
  objectsAt(container, "env").forEach((variable, index) => {
    const name = textOf(variable, "name");
    const value = textOf(variable, "value");
    const reference = `$(${name})`;
    const hides = isSet(variable, "valueFrom") || value === reference || !value.includes(reference);
    if (names.has(name) && hides)
      warnings.push(
        `${field}.env[${index}]: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`,
      );
    names.add(name);
  });
  return warnings;
}

function warnOfPorts(spec: JsonObject, field: string): readonly string[] {
  const seen = new Map<string, (readonly [JsonObject, string])[]>();
  const warnings: string[] = [];
  for (const [container, place] of containersOf(spec, field))
    objectsAt(container, "ports").forEach((port, index) => {
      const at = `${place}.ports[${index}]`;
      const key = `${countOf(port, "containerPort")}/${textOf(port, "protocol")}`;
      const others = seen.get(key) ?? [];
      for (const [other, otherAt] of others) {
        const clash = portConflict(port, other);
        if (clash !== undefined) warnings.push(`${at}: ${clash} port definition with ${otherAt}`);
      }
      seen.set(key, [...others, [port, at]]);
    });
  return warnings;
}

function portConflict(port: JsonObject, other: JsonObject): string | undefined {
  const [hostPort, otherPort] = [countOf(port, "hostPort"), countOf(other, "hostPort")];
  const [hostIp, otherIp] = [textOf(port, "hostIP"), textOf(other, "hostIP")];
  if (hostPort === otherPort && hostIp === otherIp) return "duplicate";
  if (hostPort === 0 || otherPort === 0) return "overlapping";
  const isAmbiguous = hostPort === otherPort && (hostIp === "") !== (otherIp === "");
  return isAmbiguous ? "dangerously ambiguous" : undefined;
}

function warnOfPortNames(spec: JsonObject, field: string): readonly string[] {
  const seen = new Map<string, string>();
  const warnings: string[] = [];
  for (const [container, place] of containersOf(spec, field))
    objectsAt(container, "ports").forEach((port, index) => {
      const name = textOf(port, "name");
      const at = `${place}.ports[${index}]`;
      const other = seen.get(name);
      if (name === "") return;
      if (other === undefined) seen.set(name, at);
      else
        warnings.push(
          `${at}: duplicate port name ${JSON.stringify(name)} with ${other}, services and probes that select ports by name will use ${other}`,
        );
    });
  return warnings;
}

function warnOfGrace(spec: JsonObject, field: string): readonly string[] {
  const seconds = pointedNumber(spec, "terminationGracePeriodSeconds") ?? 0;
  if (seconds >= 0) return [];
  return [`${field}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`];
}

function warnOfSelectors(spec: JsonObject, field: string): readonly string[] {
  const warnings: string[] = [];
  for (const kind of ["podAffinity", "podAntiAffinity"]) {
    const affinity = objectAt(spec, "affinity", kind) ?? {};
    const at = `${field}.affinity.${kind}`;
    const warnIfNull = (term: JsonObject, place: string): void => {
      if (!isSet(term, "labelSelector"))
        warnings.push(`${place}.labelSelector: a null labelSelector results in matching no pod`);
    };
    objectsAt(affinity, "requiredDuringSchedulingIgnoredDuringExecution").forEach((term, index) =>
      warnIfNull(term, `${at}.requiredDuringSchedulingIgnoredDuringExecution[${index}]`),
    );
    objectsAt(affinity, "preferredDuringSchedulingIgnoredDuringExecution").forEach((term, index) =>
      warnIfNull(
        objectAt(term, "podAffinityTerm") ?? {},
        `${at}.preferredDuringSchedulingIgnoredDuringExecution[${index}].podAffinityTerm`,
      ),
    );
  }
  return warnings;
}
