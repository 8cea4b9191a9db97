// SPDX-License-Identifier: Apache-2.0
// Bodies as client-go encodes them, taken from `kubectl create`.
import type { Step, Topic } from "../scenario.ts";
import { configMaps } from "./bodies.ts";
import { protobufAnswers } from "./protobuf-answers.ts";

const protobuf = { "content-type": "application/vnd.kubernetes.protobuf" };

function post(name: string, path: string, base64: string): Step {
  return { name, method: "POST", path, headers: protobuf, base64 };
}

export const protobufBodies: Topic = {
  name: "protobuf",
  scenarios: [
    {
      id: "protobuf",
      steps: [
        post(
          "config map",
          "/api/v1/namespaces/${ns}/configmaps",
          "azhzAAoPCgJ2MRIJQ29uZmlnTWFwEiYKEgoCcGISABoAIgAqADIAOABCABIGCgFhEgExEggKAWISA3R3bxoAIgA=",
        ),
        post(
          "secret",
          "/api/v1/namespaces/${ns}/secrets",
          "azhzAAoMCgJ2MRIGU2VjcmV0EiEKEgoCcGISABoAIgAqADIAOABCABIJCgFwEgR3b3JkGgAaACIA",
        ),
        post(
          "deployment",
          "/apis/apps/v1/namespaces/${ns}/deployments",
          "azhzAAoVCgdhcHBzL3YxEgpEZXBsb3ltZW50ErQBCh0KAnBiEgAaACIAKgAyADgAQgBaCQoDYXBwEgJwYhKEAQgCEgsKCQoDYXBwEgJwYhprChsKABIAGgAiACoAMgA4AEIAWgkKA2FwcBICcGISTBIuCgVuZ2lueBIFbmdpbngqADIKCgAQABhQIgAqAEIAagByAIABAIgBAJABAKIBABoAMgBCAEoAUgBYAGAAaACCAQCKAQCaAQDCAQAiAgoAKAA4ABoMCAAQABgAIAAoADgAGgAiAA==",
        ),
        post(
          "role",
          "/apis/rbac.authorization.k8s.io/v1/namespaces/${ns}/roles",
          "azhzAAokChxyYmFjLmF1dGhvcml6YXRpb24uazhzLmlvL3YxEgRSb2xlEikKEgoCcGISABoAIgAqADIAOABCABITCgNnZXQKBGxpc3QSABoEcG9kcxoAIgA=",
        ),
        post(
          "job",
          "/apis/batch/v1/namespaces/${ns}/jobs",
          "azhzAAoPCghiYXRjaC92MRIDSm9iEoABChIKAnBiEgAaACIAKgAyADgAQgASYDJeChAKABIAGgAiACoAMgA4AEIAEkoSJwoCcGISB2J1c3lib3gaBGRhdGUqAEIAagByAIABAIgBAJABAKIBABoFTmV2ZXIyAEIASgBSAFgAYABoAIIBAIoBAJoBAMIBABoIIAAoADAAOgAaACIA",
        ),
        post(
          "service",
          "/api/v1/namespaces/${ns}/services",
          "azhzAAoNCgJ2MRIHU2VydmljZRJmCh0KAnBiEgAaACIAKgAyADgAQgBaCQoDYXBwEgJwYhJBChsKBzgwLTgwODASA1RDUBhQIgcIABCQPxoAKAASCQoDYXBwEgJwYhoAIglDbHVzdGVySVA6AEIAUgBaAGAAaAAaAgoAGgAiAA==",
        ),
        post(
          "access review",
          "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
          "azhzAAoyChdhdXRob3JpemF0aW9uLms4cy5pby92MRIXU2VsZlN1YmplY3RBY2Nlc3NSZXZpZXcSPwoQCgASABoAIgAqADIAOABCABIhCh8KB2RlZmF1bHQSBmNyZWF0ZRoAIgAqBHBvZHMyADoAGggIABIAGgAgABoAIgA=",
        ),
        post(
          "self review",
          "/apis/authentication.k8s.io/v1/selfsubjectreviews",
          "azhzAAotChhhdXRoZW50aWNhdGlvbi5rOHMuaW8vdjESEVNlbGZTdWJqZWN0UmV2aWV3EhoKEAoAEgAaACIAKgAyADgAQgASBgoECgASABoAIgA=",
        ),
        post(
          "config map again",
          configMaps,
          "azhzAAoPCgJ2MRIJQ29uZmlnTWFwEiYKEgoCcGISABoAIgAqADIAOABCABIGCgFhEgExEggKAWISA3R3bxoAIgA=",
        ),
        {
          name: "delete with options",
          method: "DELETE",
          path: `${configMaps}/pb`,
          headers: protobuf,
          base64: "azhzAAoTCgJ2MRINRGVsZXRlT3B0aW9ucxIMIgpCYWNrZ3JvdW5k",
        },
        post(
          "a config map sent to secrets",
          "/api/v1/namespaces/${ns}/secrets",
          "azhzAAoPCgJ2MRIJQ29uZmlnTWFwEiYKEgoCcGISABoAIgAqADIAOABCABIGCgFhEgExEggKAWISA3R3bxoAIgA=",
        ),
        post(
          "cut off",
          configMaps,
          "azhzAAoPCgJ2MRIJQ29uZmlnTWFwEiYKEgoCcGISABoAIgAqADIAOABCABIGCgFhEgExEggKAWISA3R3bxo=",
        ),
        post(
          "without its first bytes",
          configMaps,
          "Cg8KAnYxEglDb25maWdNYXASJgoSCgJwYhIAGgAiACoAMgA4AEIAEgYKAWESATESCAoBYhIDdHdvGgAiAA==",
        ),
        post("nothing but the first bytes", configMaps, "azhzAA=="),
        {
          name: "JSON that says it is protobuf",
          method: "POST",
          path: configMaps,
          headers: protobuf,
          text: '{"metadata":{"name":"x"}}',
        },
        {
          name: "a patch",
          method: "PATCH",
          path: `${configMaps}/pb`,
          headers: protobuf,
          base64: "azhzAAoPCgJ2MRIJQ29uZmlnTWFwEiYKEgoCcGISABoAIgAqADIAOABCABIGCgFhEgExEggKAWISA3R3bxoAIgA=",
        },
      ],
    },
    ...protobufAnswers,
  ],
};
