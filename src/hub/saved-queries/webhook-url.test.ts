// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { checkReceiverUrl } from "./webhook-url.ts";

const check = (text: string, allowsLoopback = false): string => checkReceiverUrl(text, { allowsLoopback });

test("[SQ7] receivers are https and elsewhere", () => {
  expect(check("https://hooks.example.com/x?y=1")).toBe("https://hooks.example.com/x?y=1");
  expect(check("https://10.1.2.3:8443/")).toBe("https://10.1.2.3:8443/");
});

test.each([
  ["http://hooks.example.com/", "must begin with https://: deliveries contain object names"],
  ["ftp://hooks.example.com/", "must begin with https://"],
  ["hooks.example.com", "must begin with https://"],
  [`https://hooks.example.com/${"x".repeat(2_048)}`, "at most 2048 characters"],
  ["https://ann:pw@hooks.example.com/", "must not contain a user or password"],
  ["https://localhost/", "--allow-loopback-webhooks"],
  ["http://127.0.0.1:8080/", "--allow-loopback-webhooks"],
  ["https://[::ffff:127.0.0.1]/", "--allow-loopback-webhooks"],
  ["https://2130706433/", "--allow-loopback-webhooks"],
  ["https://169.254.169.254/latest", "link-local address"],
  ["https://0.0.0.0/", "unspecified address"],
])("[SQ7] %s is refused", (url, sentence) => {
  expect(() => check(url)).toThrow(sentence);
});

test("[SQ7] with the option of the hub, loopback is allowed with and without TLS, and nothing else", () => {
  expect(check("http://127.0.0.1:8080/x", true)).toBe("http://127.0.0.1:8080/x");
  expect(check("https://localhost/x", true)).toBe("https://localhost/x");
  expect(() => check("http://hooks.example.com/", true)).toThrow("https://");
  expect(() => check("http://169.254.169.254/", true)).toThrow("link-local");
});
