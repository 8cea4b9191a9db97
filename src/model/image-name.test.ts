// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { defaultImageName, isImageName, parseImageName } from "./image-name.ts";

const digest = `sha256:${"a".repeat(64)}`;

test("the parts of an image name are registry, path, tag and digest; docker.io where no registry is named", () => {
  expect(parseImageName(`registry.example.com:5000/team/flotilla:1.2@${digest}`)).toEqual({
    registry: "registry.example.com:5000",
    path: "team/flotilla",
    tag: "1.2",
    digest,
  });
  expect(parseImageName("flotilla")).toMatchObject({ registry: "docker.io", path: "library/flotilla", tag: undefined });
  expect(parseImageName("team/flotilla:1")).toMatchObject({ registry: "docker.io", path: "team/flotilla", tag: "1" });
});

test.each(["", "a b", "a$b", "Upper", "a:", "a@sha256:12", "https://a/b", "a//b", "x".repeat(2_000), "a".repeat(64)])(
  "%s is no image name",
  (text) => {
    expect(isImageName(text)).toBe(false);
  },
);

test("[IN6] the default image is named by the version; what a tag cannot hold becomes _", () => {
  expect(defaultImageName("0.1.0")).toBe("flotilla.dev/flotilla:0.1.0");
  expect(defaultImageName("1.2.3-rc.1+build.5")).toBe("flotilla.dev/flotilla:1.2.3-rc.1_build.5");
  expect(isImageName(defaultImageName("1.2.3-rc.1+build.5"))).toBe(true);
});
