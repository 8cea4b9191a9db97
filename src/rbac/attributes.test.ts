// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { attributesOf, type RequestAttributes } from "./attributes.ts";
import { thrownCode } from "./testing/thrown-code.ts";

/** `GET /path?query` to attributes; a resource request as verb, group, resource, subresource, namespace, name. */
function derive(line: string): RequestAttributes {
  const [method = "", target = ""] = line.split(" ");
  const mark = target.indexOf("?");
  const path = mark < 0 ? target : target.slice(0, mark);
  return attributesOf(method, path, new URLSearchParams(mark < 0 ? "" : target.slice(mark + 1)));
}

function short(line: string): string {
  const found = derive(line);
  if (found.kind === "nonResource") return `${found.verb} ${found.path}`;
  const { verb, apiGroup, resource, subresource, namespace, name } = found;
  return [verb, apiGroup, resource, subresource, namespace, name].join(",");
}

describe("[RB33] which paths name a resource", () => {
  test.each([
    ["GET /api/v1/pods", "list,,pods,,,"],
    ["GET /api/v1/namespaces/shop/pods/web", "get,,pods,,shop,web"],
    ["GET /api/v1/namespaces/shop/pods/web/log", "get,,pods,log,shop,web"],
    ["GET /api/v1/namespaces/shop/pods/web/proxy/a/b", "get,,pods,proxy,shop,web"],
    ["GET /apis/apps/v1/namespaces/shop/deployments/web/scale", "get,apps,deployments,scale,shop,web"],
    ["GET /api/v1/nodes/n1", "get,,nodes,,,n1"],
    ["GET /api/v1/nodes/n1/", "get,,nodes,,,n1"],
    ["GET /api/v1//pods", "get,,,,,pods"],
    ["GET /", "get /"],
    ["GET /api", "get /api"],
    ["GET /api/v1", "get /api/v1"],
    ["GET /apis/apps", "get /apis/apps"],
    ["GET /apis/apps/v1", "get /apis/apps/v1"],
    ["POST /metrics", "post /metrics"],
    ["GET /healthz/", "get /healthz/"],
    ["GET /openapi/v3/api/v1", "get /openapi/v3/api/v1"],
    ["GET /API/v1/pods", "get /API/v1/pods"],
  ])("%s is %s", (line, expected) => {
    expect(short(line)).toBe(expected);
  });
});

describe("[RB34] verbs by method", () => {
  test.each([
    ["GET /api/v1/namespaces/shop/pods", "list,,pods,,shop,"],
    ["HEAD /api/v1/namespaces/shop/pods", "list,,pods,,shop,"],
    ["HEAD /api/v1/namespaces/shop/pods/web", "get,,pods,,shop,web"],
    ["POST /api/v1/namespaces/shop/pods", "create,,pods,,shop,"],
    ["POST /api/v1/namespaces/shop/pods/web/exec", "create,,pods,exec,shop,web"],
    ["PUT /api/v1/namespaces/shop/pods/web", "update,,pods,,shop,web"],
    ["PATCH /api/v1/namespaces/shop/pods/web", "patch,,pods,,shop,web"],
    ["DELETE /api/v1/namespaces/shop/pods/web", "delete,,pods,,shop,web"],
    ["DELETE /api/v1/namespaces/shop/pods", "deletecollection,,pods,,shop,"],
  ])("%s is %s", (line, expected) => {
    expect(short(line)).toBe(expected);
  });
});

describe("[RB35] watch by parameter", () => {
  test.each([
    ["watch=true", "watch"],
    ["watch=1", "watch"],
    ["watch=", "watch"],
    ["watch", "watch"],
    ["watch=no", "watch"],
    ["watch=false", "list"],
    ["watch=FALSE", "list"],
    ["watch=0", "list"],
    ["watch=false&watch=true", "list"],
    ["Watch=true", "list"],
    ["limit=x&watch=true", "watch"],
  ])("%s is %s", (query, verb) => {
    expect(derive(`GET /api/v1/pods?${query}`).verb).toBe(verb);
  });

  test("a name in the path makes it a get", () => {
    expect(derive("GET /api/v1/namespaces/shop/pods/web?watch=true").verb).toBe("get");
  });

  test("only GET and HEAD watch", () => {
    expect(derive("DELETE /api/v1/namespaces/shop/pods?watch=true").verb).toBe("deletecollection");
  });
});

describe("[RB36] old path prefixes", () => {
  test.each([
    ["GET /api/v1/watch/pods", "watch,,pods,,,"],
    ["GET /api/v1/watch/namespaces/shop/pods/web", "watch,,pods,,shop,web"],
    ["GET /api/v1/watch/namespaces/shop", "watch,,namespaces,,shop,shop"],
    ["DELETE /apis/apps/v1/watch/deployments", "watch,apps,deployments,,,"],
    ["GET /api/v1/proxy/namespaces/shop/services/web/a/b", "proxy,,services,,shop,web"],
    ["POST /api/v1/proxy/nodes/n1", "proxy,,nodes,,,n1"],
  ])("%s is %s", (line, expected) => {
    expect(short(line)).toBe(expected);
  });

  test.each(["GET /api/v1/watch", "GET /apis/apps/v1/proxy/"])("%s is refused", (line) => {
    expect(thrownCode(() => derive(line))).toBe("INVALID_ARGUMENT");
  });
});

describe("[RB38] namespaces", () => {
  test.each([
    ["GET /api/v1/namespaces", "list,,namespaces,,,"],
    ["GET /api/v1/namespaces/shop", "get,,namespaces,,shop,shop"],
    ["PUT /api/v1/namespaces/shop/status", "update,,namespaces,status,shop,shop"],
    ["PUT /api/v1/namespaces/shop/finalize", "update,,namespaces,finalize,shop,shop"],
    ["GET /api/v1/namespaces/shop/finalizers", "list,,finalizers,,shop,"],
    ["DELETE /api/v1/namespaces/shop", "delete,,namespaces,,shop,shop"],
    ["POST /api/v1/namespaces", "create,,namespaces,,,"],
    ["GET /apis/example.com/v1/namespaces/shop", "get,example.com,namespaces,,shop,shop"],
  ])("%s is %s", (line, expected) => {
    expect(short(line)).toBe(expected);
  });
});

describe("[RB39] methods without a verb", () => {
  test.each(["OPTIONS", "TRACE", "get", "Delete"])("%s gives the empty verb", (method) => {
    expect(derive(`${method} /api/v1/namespaces/shop/pods`)).toMatchObject({ verb: "", name: "" });
  });

  test("on other paths any method is a verb", () => {
    expect(derive("OPTIONS /metrics").verb).toBe("options");
  });
});

test("[RB40] other selectors change nothing", () => {
  const plain = derive("GET /api/v1/namespaces/shop/pods");
  expect(derive("GET /api/v1/namespaces/shop/pods?labelSelector=app%3Dweb")).toEqual(plain);
  expect(derive("GET /api/v1/namespaces/shop/pods?fieldSelector=spec.nodeName%3Dn1")).toEqual(plain);
  expect(derive("GET /api/v1/namespaces/shop/pods?fieldSelector=metadata.name!%3Dweb")).toEqual(plain);
});

describe("[RB37] the name in a field selector", () => {
  test.each([
    ["list", "GET /api/v1/namespaces/shop/pods?fieldSelector=metadata.name=web", "list,,pods,,shop,web"],
    ["watch", "GET /api/v1/pods?watch=1&fieldSelector=metadata.name=web", "watch,,pods,,,web"],
    ["namespaces", "GET /api/v1/namespaces?fieldSelector=metadata.name=shop", "list,,namespaces,,,shop"],
    ["get", "GET /api/v1/nodes/n1?fieldSelector=metadata.name=n2", "get,,nodes,,,n1"],
    [
      "deletecollection",
      "DELETE /api/v1/namespaces/shop/pods?fieldSelector=metadata.name=web",
      "deletecollection,,pods,,shop,",
    ],
    ["create", "POST /api/v1/namespaces/shop/pods?fieldSelector=metadata.name=web", "create,,pods,,shop,"],
    ["the old watch path", "GET /api/v1/watch/pods?fieldSelector=metadata.name=web", "watch,,pods,,,"],
  ])("on %s: %s", (_verb, line, expected) => {
    expect(short(line)).toBe(expected);
  });
});
