// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { toAnswerError } from "./answer-error.ts";

const forbidden = 'pods "web" is forbidden: User "ann" cannot get resource "pods"';

function errorOf(
  body: string,
  changes: { readonly headers?: ReadonlyMap<string, string>; readonly secrets?: string[] } = {},
) {
  const { headers = new Map(), secrets = [] } = changes;
  return toAnswerError({ status: 403, headers, body, what: "GET /api/v1/pods/web", secrets });
}

function statusOf(message: unknown): string {
  return JSON.stringify({ kind: "Status", status: "Failure", message, code: 403 });
}

test("[TU8] the server's own sentence is kept apart from what is said of the request", () => {
  expect(errorOf(statusOf(forbidden))).toMatchObject({
    fault: "forbidden",
    status: 403,
    serverMessage: forbidden,
    message: `GET /api/v1/pods/web was answered 403: ${forbidden}`,
  });
});

test.each([
  ["a page of a proxy", "<html>denied</html>", undefined],
  ["nothing", "", undefined],
  ["an object that is no Status", '{"kind":"Pod","message":"hello"}', undefined],
  ["a list", "[]", undefined],
  ["what breaks off", '{"kind":"Status","mess', undefined],
])("%s is no sentence of the server", (_what, body, serverMessage) => {
  expect(errorOf(body).serverMessage).toBe(serverMessage);
  expect(errorOf(body).message).toContain("without a Kubernetes Status");
});

test("plain text of a proxy is shown to the agent's operator, and not to users as the server's message", () => {
  const error = errorOf("go away", { headers: new Map([["content-type", "text/plain"]]) });
  expect(error.message).toContain("go away");
  expect(error.serverMessage).toBeUndefined();
});

test.each([undefined, 7, null, ["x"]])("a Status whose message is %j says nothing", (message) => {
  expect(errorOf(statusOf(message)).serverMessage).toBe("without a message");
});

test("[KU9] a sentence shows no credential, and is cut", () => {
  const { serverMessage = "" } = errorOf(statusOf(`token s3cret-token is bad ${"x".repeat(5_000)}`), {
    secrets: ["s3cret-token"],
  });
  expect(serverMessage).not.toContain("s3cret-token");
  expect(serverMessage.length).toBeLessThan(1_100);
});
