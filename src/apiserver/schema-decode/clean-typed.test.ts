// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { type DraftObject, isObject } from "../json/json.ts";
import { parseJson } from "../json/parse-json.ts";
import { parseYaml } from "../json/parse-yaml.ts";
import { stringifyJson } from "../json/stringify-json.ts";
import { loadSchemaTable } from "../schema/load-schema-table.ts";
import { ApiError } from "../status/api-error.ts";
import { type CleanedObject, cleanTyped } from "./clean-typed.ts";
import { strictDecodingError } from "./decoding-refusals.ts";

const groups: Readonly<Record<string, string>> = {
  Deployment: "apps",
  Lease: "coordination.k8s.io",
  Role: "rbac.authorization.k8s.io",
  NetworkPolicy: "networking.k8s.io",
  CustomResourceDefinition: "apiextensions.k8s.io",
  ControllerRevision: "apps",
};

function clean(kind: string, text: string, parse = parseJson): CleanedObject {
  const table = loadSchemaTable();
  const schema = table.ofKind(groups[kind] ?? "", "v1", kind);
  const parsed = parse(text, { findDuplicates: true, kind });
  if (schema === undefined || !isObject(parsed.value)) throw new Error(`no object of kind ${kind}`);
  return cleanTyped(table, schema, parsed.value, { version: "v1", kind, parsed });
}

function cleanText(kind: string, text: string): string {
  return stringifyJson(clean(kind, text).object);
}

function refusal(kind: string, text: string): string {
  try {
    clean(kind, text);
  } catch (reason) {
    if (reason instanceof ApiError && reason.code === 400) return reason.message;
    throw reason;
  }
  return "accepted";
}

// What kube-apiserver 1.36.3 answers a create with, apart from what it adds.
describe("values come out as the real server prints them", () => {
  test.each([
    [
      "ConfigMap",
      '{"data":{"a":null,"b":""},"binaryData":{},"immutable":false,"metadata":{"name":"x","labels":null}}',
      '{"metadata":{"name":"x"},"immutable":false,"data":{"a":"","b":""}}',
    ],
    ["ConfigMap", '{"metadata":{"creationTimestamp":null,"generation":0,"labels":{}}}', '{"metadata":{}}'],
    [
      "ConfigMap",
      '{"metadata":{"generation":9223372036854775807,"deletionGracePeriodSeconds":0}}',
      '{"metadata":{"generation":9223372036854775807,"deletionGracePeriodSeconds":0}}',
    ],
    [
      "ConfigMap",
      '{"data":{"__proto__":"1","constructor":"2"}}',
      '{"metadata":{},"data":{"__proto__":"1","constructor":"2"}}',
    ],
    [
      "Secret",
      '{"data":{"a":null,"b":"","c":"YR==","d":[97],"e":[]}}',
      '{"metadata":{},"data":{"a":"","b":"","c":"YQ==","d":"YQ==","e":""}}',
    ],
    ["Role", '{"rules":[]}', '{"metadata":{},"rules":null}'],
    [
      "Role",
      '{"rules":[{"verbs":["get"],"apiGroups":[],"resources":["x"]}]}',
      '{"metadata":{},"rules":[{"verbs":["get"],"resources":["x"]}]}',
    ],
    [
      "Lease",
      '{"spec":{"renewTime":"2020-01-01T02:00:00.000001+02:00","leaseDurationSeconds":5,"holderIdentity":"","leaseTransitions":0}}',
      '{"metadata":{},"spec":{"holderIdentity":"","leaseDurationSeconds":5,"renewTime":"2020-01-01T00:00:00.000001Z","leaseTransitions":0}}',
    ],
    [
      "Event",
      '{"eventTime":null}',
      '{"metadata":{},"involvedObject":{},"source":{},"firstTimestamp":null,"lastTimestamp":null,"eventTime":null,"reportingComponent":"","reportingInstance":""}',
    ],
    [
      "NetworkPolicy",
      '{"spec":{"podSelector":{"matchLabels":{}},"ingress":[{}],"egress":[{"to":[],"ports":null}]}}',
      '{"metadata":{},"spec":{"podSelector":{},"ingress":[{}],"egress":[{}]}}',
    ],
    [
      "PersistentVolume",
      '{"spec":{"capacity":{"storage":"0.5Gi"},"nfs":{"server":"a","path":"/b","readOnly":false}}}',
      '{"metadata":{},"spec":{"capacity":{"storage":"512Mi"},"nfs":{"server":"a","path":"/b"}},"status":{}}',
    ],
    [
      "Deployment",
      "{}",
      '{"metadata":{},"spec":{"selector":null,"template":{"metadata":{},"spec":{"containers":null}},"strategy":{}},"status":{}}',
    ],
    [
      "Deployment",
      '{"spec":{"replicas":0,"template":{"spec":{"containers":[{"name":"a","resources":{"limits":{"cpu":"1000m","memory":1e3,"x/y":1.0},"requests":{"cpu":0.5}},"env":[{"name":"a","value":""},null]}]}}}}',
      '{"metadata":{},"spec":{"replicas":0,"selector":null,"template":{"metadata":{},"spec":{"containers":[{"name":"a","env":[{"name":"a"},{"name":""}],"resources":{"limits":{"cpu":"1","memory":"1e3","x/y":"1"},"requests":{"cpu":"500m"}}}]}},"strategy":{}},"status":{}}',
    ],
    [
      "Service",
      '{"spec":{"ports":[{"port":80},{"port":81,"targetPort":"web"}]}}',
      '{"metadata":{},"spec":{"ports":[{"port":80,"targetPort":0},{"port":81,"targetPort":"web"}]},"status":{"loadBalancer":{}}}',
    ],
    [
      "ControllerRevision",
      '{"data":{"z":1.5,"a":null,"n":9007199254740993},"revision":1}',
      '{"metadata":{},"data":{"z":1.5,"a":null,"n":9007199254740993},"revision":1}',
    ],
    [
      "Pod",
      '{"spec":{"containers":[{"name":"a","image":"b"}],"volumes":[{"name":"v","emptyDir":{}}],"securityContext":{}},"status":{"conditions":[{"type":"Ready","status":"True"}]}}',
      '{"metadata":{},"spec":{"volumes":[{"name":"v","emptyDir":{}}],"containers":[{"name":"a","image":"b","resources":{}}],"securityContext":{}},"status":{"conditions":[{"type":"Ready","status":"True","lastProbeTime":null,"lastTransitionTime":null}]}}',
    ],
  ])("%s %s", (kind, text, printed) => {
    expect(cleanText(kind, text)).toBe(printed);
  });

  test("the unions of a schema keep what they can hold", () => {
    const schema =
      '{"type":"object","properties":{"a":{"type":"array","items":{"type":"string","enum":["a",null],"bogus":1}},"b":{"additionalProperties":true},"c":{"additionalProperties":{"maximum":1.50}},"d":{"items":[{"type":"string"}]},"e":{"items":5}}}';
    const { object, complaints } = clean(
      "CustomResourceDefinition",
      `{"spec":{"versions":[{"schema":{"openAPIV3Schema":${schema}}}]}}`,
    );
    expect(stringifyJson(object)).toContain(
      '"properties":{"a":{"type":"array","items":{"type":"string","enum":["a",null]}},"b":{"additionalProperties":true},"c":{"additionalProperties":{"maximum":1.5}},"d":{"items":[{"type":"string"}]},"e":{}}',
    );
    expect(complaints).toEqual([]);
  });
});

// Complaints of kube-apiserver 1.36.3 under field validation Strict.
describe("complaints are those of the real server, in its order", () => {
  test.each<[string, string, string[]]>([
    [
      "ConfigMap",
      '{"x":1,"metadata":{"y":1},"z":[{"q":1,"q":2}]}',
      ['unknown field "x"', 'unknown field "metadata.y"', 'unknown field "z"'],
    ],
    [
      "ConfigMap",
      '{"metadata":{"name":"x","name":"y"},"data":{"a":"1","a":"2"},"foo":{"a":1,"a":2},"data":{"c":"1"}}',
      ['duplicate field "metadata.name"', 'duplicate field "data.a"', 'unknown field "foo"', 'duplicate field "data"'],
    ],
    [
      "Pod",
      '{"spec":{"containers":[{"name":"a","image":"b","image":"c","foo":1},{"env":[{"name":"A","name":"B","bar":2}]}],"containers":[{"name":"z"}]}}',
      [
        'duplicate field "spec.containers[0].image"',
        'unknown field "spec.containers[0].foo"',
        'duplicate field "spec.containers[1].env[0].name"',
        'unknown field "spec.containers[1].env[0].bar"',
        'duplicate field "spec.containers"',
      ],
    ],
    [
      "Pod",
      '{"spec":{"containers":[{"resources":{"limits":{"cpu":1,"cpu":2}},"livenessProbe":{"httpGet":{"port":1,"foo":2},"bar":1}}],"volumes":[{"configMap":{"q":1},"zz":1}]}}',
      [
        'duplicate field "spec.containers[0].resources.limits.cpu"',
        'unknown field "spec.containers[0].livenessProbe.httpGet.foo"',
        'unknown field "spec.containers[0].livenessProbe.bar"',
        'unknown field "spec.volumes[0].configMap.q"',
        'unknown field "spec.volumes[0].zz"',
      ],
    ],
    ["ConfigMap", '{"metadata":{"managedFields":[{"fieldsV1":{"a":1,"a":2}}]}}', []],
    [
      "ConfigMap",
      '{"a\\"b":1,"\\u0001":3,"__proto__":5,"constructor":{}}',
      ['unknown field "a\\"b"', 'unknown field "\\x01"', 'unknown field "__proto__"', 'unknown field "constructor"'],
    ],
  ])("%s %s", (kind, text, complaints) => {
    expect(clean(kind, text).complaints).toEqual(complaints);
  });

  test("there are a hundred at most", () => {
    const keys = Array.from({ length: 130 }, (_, index) => `"u${index}":1`);
    expect(clean("ConfigMap", `{${keys.join(",")}}`).complaints).toHaveLength(100);
  });

  test("repeated fields are merged as Go merges them", () => {
    const text =
      '{"metadata":{"name":"x","labels":{"a":"1"},"labels":{"b":"2"}},"data":{"a":"1"},"data":{"b":"1"},"metadata":{"annotations":{"q":"1"},"name":null}}';
    expect(cleanText("ConfigMap", text)).toBe(
      '{"metadata":{"name":"x","labels":{"a":"1","b":"2"},"annotations":{"q":"1"}},"data":{"a":"1","b":"1"}}',
    );
    const pod = '{"spec":{"containers":[{"name":"a","image":"b"},{"name":"c"}],"containers":[{"name":"z"}]}}';
    expect(cleanText("Pod", pod)).toContain('"containers":[{"name":"z","image":"b","resources":{}}]');
  });

  test("the refusal names them all; what YAML repeats comes first, with its lines", () => {
    const text = "bogus: 1\nspec: {a: 1, a: 2}\ndata: {b: c}\ndata: {c: d}\n";
    const parsed = parseYaml(text, { findDuplicates: true, kind: "ConfigMap" });
    const { object, complaints } = clean("ConfigMap", text, parseYaml);
    expect(complaints).toEqual([
      'line 2: key "a" already set in map',
      'line 4: key "data" already set in map',
      'unknown field "bogus"',
      'unknown field "spec"',
    ]);
    expect(object).toEqual({ metadata: {}, data: { c: "d" } });
    expect(strictDecodingError({ version: "v1", kind: "ConfigMap" }, complaints, parsed).message).toBe(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: yaml: unmarshal errors:\n  line 2: key "a" already set in map\n  line 4: key "data" already set in map, unknown field "bogus", unknown field "spec"',
    );
    expect(strictDecodingError({ version: "v1", kind: "A" }, ["x", "y"]).message).toBe(
      'A in version "v1" cannot be handled as a A: strict decoding error: x, y',
    );
  });
});

// Sentences of kube-apiserver 1.36.3.
describe("values of a wrong type", () => {
  const container = (more: string): string => `{"spec":{"containers":[{"name":"a",${more}}]}}`;
  const schema = (more: string): string => `{"spec":{"versions":[{"schema":{"openAPIV3Schema":{${more}}}}]}}`;
  test.each([
    ["ConfigMap", '{"data":5}', "number into Go struct field ConfigMap.data of type map[string]string"],
    ["ConfigMap", '{"data":{"a":5}}', "number into Go struct field ConfigMap.data of type string"],
    ["ConfigMap", '{"immutable":"q"}', "string into Go struct field ConfigMap.immutable of type bool"],
    ["ConfigMap", '{"metadata":[]}', "array into Go struct field ConfigMap.metadata of type v1.ObjectMeta"],
    [
      "ConfigMap",
      '{"metadata":{"creationTimestamp":5}}',
      "number into Go struct field ObjectMeta.metadata.creationTimestamp of type string",
    ],
    [
      "ConfigMap",
      '{"metadata":{"finalizers":true}}',
      "bool into Go struct field ObjectMeta.metadata.finalizers of type []string",
    ],
    [
      "ConfigMap",
      '{"metadata":{"generation":1.5}}',
      "number 1.5 into Go struct field ObjectMeta.metadata.generation of type int64",
    ],
    [
      "ConfigMap",
      '{"metadata":{"generation":1.0}}',
      "number 1.0 into Go struct field ObjectMeta.metadata.generation of type int64",
    ],
    [
      "ConfigMap",
      '{"metadata":{"generation":9223372036854775808}}',
      "number 9223372036854775808 into Go struct field ObjectMeta.metadata.generation of type int64",
    ],
    [
      "ConfigMap",
      '{"metadata":{"ownerReferences":[{"uid":5}]}}',
      "number into Go struct field OwnerReference.metadata.ownerReferences.uid of type types.UID",
    ],
    ["ConfigMap", '{"binaryData":{"a":5}}', "number into Go struct field ConfigMap.binaryData of type []uint8"],
    ["ConfigMap", '{"binaryData":5}', "number into Go struct field ConfigMap.binaryData of type map[string][]uint8"],
    ["Secret", '{"data":{"a":[1,300]}}', "number 300 into Go struct field Secret.data of type uint8"],
    ["Secret", '{"data":{"a":[2.0]}}', "number 2.0 into Go struct field Secret.data of type uint8"],
    [
      "Deployment",
      '{"spec":{"replicas":2147483648}}',
      "number 2147483648 into Go struct field DeploymentSpec.spec.replicas of type int32",
    ],
    [
      "Deployment",
      '{"spec":{"template":{"spec":{"containers":[{"ports":[{"containerPort":"x"}]}]}}}}',
      "string into Go struct field ContainerPort.spec.template.spec.containers.ports.containerPort of type int32",
    ],
    ["Pod", '{"spec":{"containers":[5]}}', "number into Go struct field PodSpec.spec.containers of type v1.Container"],
    ["Pod", '{"spec":{"containers":{}}}', "object into Go struct field PodSpec.spec.containers of type []v1.Container"],
    [
      "Pod",
      container('"imagePullPolicy":5'),
      "number into Go struct field Container.spec.containers.imagePullPolicy of type v1.PullPolicy",
    ],
    [
      "Pod",
      container('"resources":{"limits":5}'),
      "number into Go struct field ResourceRequirements.spec.containers.resources.limits of type v1.ResourceList",
    ],
    [
      "Pod",
      container('"livenessProbe":{"httpGet":5}'),
      "number into Go struct field Probe.spec.containers.livenessProbe.ProbeHandler.httpGet of type v1.HTTPGetAction",
    ],
    [
      "Pod",
      container('"livenessProbe":{"httpGet":{"port":1.5}}'),
      "number 1.5 into Go struct field HTTPGetAction.spec.containers.livenessProbe.ProbeHandler.httpGet.port of type int32",
    ],
    [
      "Pod",
      container('"livenessProbe":{"httpGet":{"port":[1]}}'),
      "array into Go struct field HTTPGetAction.spec.containers.livenessProbe.ProbeHandler.httpGet.port of type int32",
    ],
    [
      "Pod",
      container('"securityContext":{"capabilities":{"add":[5]}}'),
      "number into Go struct field Capabilities.spec.containers.securityContext.capabilities.add of type v1.Capability",
    ],
    [
      "Pod",
      '{"spec":{"volumes":[{"configMap":{"name":5}}]}}',
      "number into Go struct field ConfigMapVolumeSource.spec.volumes.VolumeSource.configMap.LocalObjectReference.name of type string",
    ],
    ["Lease", '{"spec":{"renewTime":true}}', "bool into Go struct field LeaseSpec.spec.renewTime of type string"],
    [
      "CustomResourceDefinition",
      schema('"properties":5'),
      "number into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties of type map[string]v1.JSONSchemaProps",
    ],
  ])("%s %s", (kind, text, problem) => {
    expect(refusal(kind, text)).toBe(
      `${kind} in version "v1" cannot be handled as a ${kind}: json: cannot unmarshal ${problem}`,
    );
  });

  test.each([
    [
      "ConfigMap",
      '{"metadata":{"creationTimestamp":"abc"}}',
      'parsing time "abc" as "2006-01-02T15:04:05Z07:00": cannot parse "abc" as "2006"',
    ],
    ["Secret", '{"data":{"a":"Y!=="}}', "illegal base64 data at input byte 1"],
    ["Pod", container('"resources":{"limits":{"cpu":"1K"}}'), "unable to parse quantity's suffix"],
    [
      "Pod",
      container('"resources":{"limits":{"cpu":[]}}'),
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    ["CustomResourceDefinition", schema('"additionalProperties":5'), "boolean or JSON schema expected"],
  ])("%s %s", (kind, text, problem) => {
    expect(refusal(kind, text)).toBe(`${kind} in version "v1" cannot be handled as a ${kind}: ${problem}`);
  });

  test("the first is named, but one that ends decoding is named before it", () => {
    expect(refusal("ConfigMap", '{"data":5,"immutable":5}')).toContain("ConfigMap.data");
    expect(refusal("Pod", '{"status":{"podIPs":5,"startTime":5}}')).toContain(
      "PodStatus.status.startTime of type string",
    );
  });
});

test("the body stays as it was", () => {
  const body: DraftObject = { metadata: { name: "x", labels: {} }, data: { a: null }, bogus: 1 };
  const before = stringifyJson(body);
  const table = loadSchemaTable();
  const schema = table.ofKind("", "v1", "ConfigMap")!;
  cleanTyped(table, schema, body, { version: "v1", kind: "ConfigMap" });
  expect(stringifyJson(body)).toBe(before);
});
