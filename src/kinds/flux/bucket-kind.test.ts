// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { columnsOf, rowOf } from "../testing/sample-rows.ts";
import { bucketKind as kind } from "./bucket-kind.ts";
import { fluxSamples } from "./testing/samples.ts";

test("[L18] a Bucket's row has its endpoint without credentials, and what of it is taken", () => {
  expect(columnsOf(kind, rowOf(kind, fluxSamples.bucket))).toEqual({
    endpoint: "s3.example:9000",
    bucketName: "fleet",
    prefix: "eu/",
    region: "eu-1",
    provider: "aws",
    revision: "main@sha1:abc",
    interval: "10m",
    suspend: false,
  });
});
