// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import {
  checkForm,
  checkRouteAccept,
  chooseErrorMediaType,
  chooseForm,
  choosePlainForm,
  chooseStreamForm,
  protobufType,
} from "./accept.ts";

const table = "application/json;as=Table;v=v1;g=meta.k8s.io";
const metadata = "application/json;g=meta.k8s.io;v=v1;as=PartialObjectMetadata";
const protobufMetadata = "application/vnd.kubernetes.protobuf;g=meta.k8s.io;v=v1;as=PartialObjectMetadata";
const notOurs = "only the following media types are accepted";

describe("the form of an object or list", () => {
  test.each([
    [undefined, "application/json object"],
    ["", "application/json object"],
    ["*/*", "application/json object"],
    ["application/*", "application/json object"],
    ["application/yaml", "application/yaml object"],
    ["application/vnd.kubernetes.protobuf,application/json", `${protobufType} object`],
    ["application/vnd.kubernetes.protobuf, */*", `${protobufType} object`],
    ["application/vnd.kubernetes.protobuf;type=watch", `${protobufType} object`],
    [`${protobufMetadata},${metadata}`, `${protobufType} partial`],
    ["application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io,application/json", "application/json object"],
    [`${table},application/json`, "application/json table"],
    [`application/json;q=0.5,${table}`, "application/json table"],
    [metadata, "application/json partial"],
    ["application/json;as=Foo;v=v1;g=meta.k8s.io,application/yaml", "application/yaml object"],
  ])("%s", (accept, form) => {
    const { mediaType, representation } = chooseForm(accept, false);
    expect(`${mediaType} ${representation.kind}`).toBe(form);
  });

  test.each([
    "text/html",
    "application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io",
    "application/json;stream=other",
    "application/json;as=Foo;v=v1;g=meta.k8s.io",
    "application/json;as=Table;v=v1;g=example.com",
    "application/json;as=Table;v=v9;g=meta.k8s.io",
  ])("%s is none of ours", (accept) => expect(() => chooseForm(accept, false)).toThrow(notOurs));

  test("lists and objects have separate forms; only the response refuses one", () => {
    expect(chooseForm(`${metadata}List`, false).representation).toEqual({
      kind: "partial",
      version: "v1",
      isList: true,
    });
    expect(chooseForm(metadata, false).representation).toEqual({ kind: "partial", version: "v1", isList: false });
  });
});

test("[AP31] custom resources have no protobuf but for their metadata", () => {
  expect(chooseForm("application/vnd.kubernetes.protobuf,application/json", true).mediaType).toBe("application/json");
  expect(chooseForm(protobufMetadata, true).mediaType).toBe(protobufType);
  expect(() => chooseForm(protobufType, true)).toThrow(notOurs);
  expect(() => checkForm(protobufType, true)).toThrow(notOurs);
});

test("a watch is no YAML", () => {
  expect(chooseStreamForm("application/vnd.kubernetes.protobuf;stream=watch", false).mediaType).toBe(protobufType);
  expect(chooseStreamForm("application/json;stream=watch", false).mediaType).toBe("application/json");
  expect(() => chooseStreamForm("application/yaml", false)).toThrow(`${notOurs}: application/json;stream=watch`);
});

test("documents have no other representation", () => {
  expect(choosePlainForm("application/yaml")).toBe("application/yaml");
  expect(() => choosePlainForm(table)).toThrow(notOurs);
});

test("a refusal is in the first form that the client takes as it is, and never refused itself", () => {
  expect(chooseErrorMediaType("application/yaml, application/json")).toBe("application/yaml");
  expect(chooseErrorMediaType("application/json, application/yaml")).toBe("application/json");
  expect(chooseErrorMediaType("application/vnd.kubernetes.protobuf, */*")).toBe(protobufType);
  expect(chooseErrorMediaType(protobufMetadata)).toBe("application/json");
  expect(chooseErrorMediaType("text/html")).toBe("application/json");
});

describe("a route looks at bare media types first", () => {
  test.each([undefined, "", "*/*", "text/html, */*;q=0.1", "application/json;as=Foo"])("%s passes", (accept) => {
    expect(() => checkRouteAccept(accept, "object")).not.toThrow();
  });

  test.each([
    ["application/*", "object", "application/json, application/yaml, application/vnd.kubernetes.protobuf"],
    [
      "text/html",
      "list",
      "application/json, application/yaml, application/vnd.kubernetes.protobuf, application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch",
    ],
    ["application/yaml", "version", "application/json"],
  ] as const)("%s at %s", (accept, route, available) => {
    expect(() => checkRouteAccept(accept, route)).toThrow(
      `406: Not Acceptable\n\nAvailable representations: ${available}`,
    );
  });
});
