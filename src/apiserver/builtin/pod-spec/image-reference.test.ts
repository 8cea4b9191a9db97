// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { defaultPullPolicy, imageTag } from "./image-reference.ts";

const digest = `sha256:${"0123456789abcdef".repeat(4)}`;

test.for<[string, string | undefined]>([
  ["nginx", "latest"],
  ["nginx:latest", "latest"],
  ["nginx:1.27", "1.27"],
  ["team/app", "latest"],
  ["registry.example.com:5000/team/app", "latest"],
  ["localhost/app:2", "2"],
  ["[::1]:5000/app", "latest"],
  [`nginx@${digest}`, undefined],
  [`nginx:1@${digest}`, "1"],
  ["nginx@sha256:abc", undefined],
  ["Nginx", undefined],
  ["a b", undefined],
  ["", undefined],
  ["0123456789abcdef".repeat(4), undefined],
  [`${"a".repeat(300)}:latest`, undefined],
])("the tag of %s is %s", ([image, tag]) => {
  expect(imageTag(image)).toBe(tag);
});

test("only the tag latest is pulled always", () => {
  expect(["app", "app:latest", "app:1", "NOT AN IMAGE"].map(defaultPullPolicy)).toEqual([
    "Always",
    "Always",
    "IfNotPresent",
    "IfNotPresent",
  ]);
});

test("a long text that is nearly an image name is parsed in linear time", () => {
  expect(imageTag(`${"a-".repeat(500)}!`)).toBeUndefined();
});
