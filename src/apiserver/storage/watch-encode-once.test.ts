// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { configMapResource, TestStorage } from "../../../test/support/api-storage.ts";
import { createEventForm } from "../dispatch/event-form.ts";
import { protobufType } from "../request/accept.ts";
import { parseListOptions } from "../request/list-options.ts";
import { Selection } from "./object-selection.ts";
import { type EventForm, watchObjects } from "./watch-cached.ts";

test.each(["application/json", protobufType] as const)(
  "[AP12] ten watches in %s get a change from one encoding",
  async (mediaType) => {
    await using storage = await TestStorage.open();
    const { source } = storage;
    let encodedCount = 0;
    const countedForm = (): EventForm => {
      const form = createEventForm({
        resource: configMapResource,
        form: { mediaType, representation: { kind: "object" } },
        includeObject: "Metadata",
        nowMs: () => 0,
      });
      return {
        ...form,
        line: (...args) => {
          encodedCount += 1;
          return form.line(...args);
        },
      };
    };
    const options = parseListOptions(new URLSearchParams(`watch=true&resourceVersion=${source.cache.revision}`));
    const gone = new AbortController();
    const watches = Array.from({ length: 10 }, () =>
      watchObjects(source, {
        resource: configMapResource,
        selection: new Selection(configMapResource, { namespace: undefined }, options),
        options,
        form: countedForm(),
        signal: gone.signal,
      }),
    );
    const chunks = watches.map((watch) => watch.next());
    await storage.put({ name: "a", value: "1" });
    const seen = await Promise.all(chunks);
    expect(new Set(seen.map((result) => result.value as Uint8Array)).size).toBe(1);
    expect(encodedCount).toBe(1);
    gone.abort(new Error("the test is over"));
    await Promise.all(watches.map((watch) => watch.return(undefined)));
  },
);
