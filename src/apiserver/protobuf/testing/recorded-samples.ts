// SPDX-License-Identifier: Apache-2.0
// Answers of kube-apiserver 1.36.3 to one GET each, as protobuf (base64) and as JSON.
import type { JsonObject } from "../../json/json.ts";

/** The same object in both forms. */
export interface RecordedSample {
  readonly protobuf: string;
  readonly json: JsonObject;
}

export const recordedSamples: readonly RecordedSample[] = [
  {
    protobuf:
      "azhzAAoPCgJ2MRIJQ29uZmlnTWFwEv8BCtoBCgFjEgAaB2RlZmF1bHQiACokNDRiNTVjMDEtMmM3Yi00MGFiLTkzN2EtYjhmNWRiZWVlM2UzMg" +
      "M3MTI4AEIICMq66dcGEACKAY8BCgd1bmtub3duEgZVcGRhdGUaAnYxIggIyrrp1wYQADIIRmllbGRzVjE6YgpgeyJmOmJpbmFyeURhdGEiOnsi" +
      "LiI6e30sImY6ZSI6e30sImY6eiI6e319LCJmOmRhdGEiOnsiLiI6e30sImY6YSI6e30sImY6YiI6e319LCJmOmltbXV0YWJsZSI6e319QgASBQ" +
      "oBYRIAEgYKAWISAXgaBQoBZRIAGggKAXoSAwAB/yAAGgAiAA==",
    json: {
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: {
        name: "c",
        namespace: "default",
        uid: "44b55c01-2c7b-40ab-937a-b8f5dbeee3e3",
        resourceVersion: "712",
        creationTimestamp: "2026-11-16T01:32:58Z",
        managedFields: [
          {
            manager: "unknown",
            operation: "Update",
            apiVersion: "v1",
            time: "2026-11-16T01:32:58Z",
            fieldsType: "FieldsV1",
            fieldsV1: {
              "f:binaryData": { ".": {}, "f:e": {}, "f:z": {} },
              "f:data": { ".": {}, "f:a": {}, "f:b": {} },
              "f:immutable": {},
            },
          },
        ],
      },
      immutable: false,
      data: { a: "", b: "x" },
      binaryData: { e: "", z: "AAH/" },
    },
  },
  {
    protobuf:
      "azhzAAofChZjb29yZGluYXRpb24uazhzLmlvL3YxEgVMZWFzZRKUAgrxAQoCbGUSABoHZGVmYXVsdCIAKiQ3NGE5M2E1NS1lYzY5LTQ4NjctOT" +
      "U0OS01OWM4NmM2YzI2YzEyAzcxNTgAQggIyrrp1wYQAIoBpQEKB3Vua25vd24SBlVwZGF0ZRoWY29vcmRpbmF0aW9uLms4cy5pby92MSIICMq6" +
      "6dcGEAAyCEZpZWxkc1YxOmQKYnsiZjpzcGVjIjp7ImY6YWNxdWlyZVRpbWUiOnt9LCJmOmhvbGRlcklkZW50aXR5Ijp7fSwiZjpsZWFzZUR1cm" +
      "F0aW9uU2Vjb25kcyI6e30sImY6cmVuZXdUaW1lIjp7fX19QgASHgoAEA8aDAjyweiABhCYjOvcAyIKCPLB6IAGEPCiBBoAIgA=",
    json: {
      kind: "Lease",
      apiVersion: "coordination.k8s.io/v1",
      metadata: {
        name: "le",
        namespace: "default",
        uid: "74a93a55-ec69-4867-9549-59c86c6c26c1",
        resourceVersion: "715",
        creationTimestamp: "2026-11-16T01:32:58Z",
        managedFields: [
          {
            manager: "unknown",
            operation: "Update",
            apiVersion: "coordination.k8s.io/v1",
            time: "2026-11-16T01:32:58Z",
            fieldsType: "FieldsV1",
            fieldsV1: {
              "f:spec": {
                "f:acquireTime": {},
                "f:holderIdentity": {},
                "f:leaseDurationSeconds": {},
                "f:renewTime": {},
              },
            },
          },
        ],
      },
      spec: {
        holderIdentity: "",
        leaseDurationSeconds: 15,
        acquireTime: "2021-02-03T04:05:06.999999Z",
        renewTime: "2021-02-03T04:05:06.000070Z",
      },
    },
  },
  {
    protobuf:
      "azhzAAofChRuZXR3b3JraW5nLms4cy5pby92MRIHSW5ncmVzcxLaAQqkAQoBaRIAGgdkZWZhdWx0IgAqJDliOWI4MjljLWQ5MTMtNGQxYS1iMj" +
      "g1LTQ3OWJkZDQ3M2MwNTIDNzE0OAFCCAjKuunXBhAAigFaCgd1bmtub3duEgZVcGRhdGUaFG5ldHdvcmtpbmcuazhzLmlvL3YxIggIyrrp1wYQ" +
      "ADIIRmllbGRzVjE6GwoZeyJmOnNwZWMiOnsiZjpydWxlcyI6e319fUIAEi0aKwoJYS5leGFtcGxlEh4KHAoaCgEvEg0iCwoDd2ViEgQKABBQGg" +
      "ZQcmVmaXgaAgoAGgAiAA==",
    json: {
      kind: "Ingress",
      apiVersion: "networking.k8s.io/v1",
      metadata: {
        name: "i",
        namespace: "default",
        uid: "9b9b829c-d913-4d1a-b285-479bdd473c05",
        resourceVersion: "714",
        generation: 1,
        creationTimestamp: "2026-11-16T01:32:58Z",
        managedFields: [
          {
            manager: "unknown",
            operation: "Update",
            apiVersion: "networking.k8s.io/v1",
            time: "2026-11-16T01:32:58Z",
            fieldsType: "FieldsV1",
            fieldsV1: { "f:spec": { "f:rules": {} } },
          },
        ],
      },
      spec: {
        rules: [
          {
            host: "a.example",
            http: {
              paths: [{ path: "/", pathType: "Prefix", backend: { service: { name: "web", port: { number: 80 } } } }],
            },
          },
        ],
      },
      status: { loadBalancer: {} },
    },
  },
];
