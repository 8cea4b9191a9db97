// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { completeCoverage, fakeObject, refusedAt } from "../query/testing/fake-query.ts";
import { getSavedQuery, listSavedQueries } from "./list-saved-queries.ts";
import { runSavedQuery } from "./run-saved-query.ts";
import { createSavedQuery, deleteSavedQuery, updateSavedQuery } from "./save-query.ts";
import { fakeSavedCall, fakeSavedQuery } from "./testing/fake-saved-queries.ts";

const wanted = {
  name: "broken",
  isPrivate: false,
  query: "status=unhealthy",
  description: "",
  columns: ["name"],
  sort: ["-age"],
  facets: ["kind"],
  groupBy: [],
};

test("[SQ3] a query is saved with its view, and the stored text is printed", async () => {
  const { call, stdout } = fakeSavedCall({
    createSavedQuery: ({ name, isPrivate, content }) => {
      expect([name, isPrivate, content?.columns, content?.sort, content?.facets]).toEqual([
        "broken",
        true,
        ["name"],
        ["-age"],
        ["kind"],
      ]);
      return { savedQuery: fakeSavedQuery() };
    },
  });
  await createSavedQuery(call, { ...wanted, isPrivate: true });
  expect(stdout()).toBe("saved query broken is saved: status=unhealthy\n");
});

test("[CL36] a mistake in a saved text is shown with a caret", async () => {
  const { call } = fakeSavedCall({
    createSavedQuery: () => {
      throw refusedAt(1, 'there is no field "statsu"');
    },
  });
  await expect(createSavedQuery(call, { ...wanted, query: "statsu=x" })).rejects.toThrow(/statsu=x\n {2}\^$/);
});

test("[SQ4] an update sends the revision that was read", async () => {
  const { call, stdout } = fakeSavedCall({
    getSavedQuery: () => ({ savedQuery: fakeSavedQuery() }),
    updateSavedQuery: ({ revision, content }) => {
      expect([revision, content?.query]).toEqual([7n, "status=unhealthy"]);
      return { savedQuery: fakeSavedQuery() };
    },
  });
  await updateSavedQuery(call, wanted);
  expect(stdout()).toContain("is changed");
});

test("[SQ5] a list has all pages, as a table and as JSON", async () => {
  const pages = new Map([
    ["", { savedQueries: [fakeSavedQuery()], nextPageToken: "broken" }],
    ["broken", { savedQueries: [fakeSavedQuery({ name: "mine", isPrivate: true })] }],
  ]);
  const service = { listSavedQueries: ({ pageToken }: { pageToken: string }) => pages.get(pageToken) ?? {} };
  const text = fakeSavedCall(service);
  await listSavedQueries(text.call);
  expect(text.stdout()).toBe(
    [
      "NAME    OWNER  VISIBILITY  UPDATED  QUERY             DESCRIPTION",
      "broken  ann    shared      5m ago   status=unhealthy  what is broken",
      "mine    ann    private     5m ago   status=unhealthy  what is broken",
      "",
    ].join("\n"),
  );
  const json = fakeSavedCall(service, "json");
  await listSavedQueries(json.call);
  expect(JSON.parse(json.stdout())).toMatchObject({ savedQueries: [{ name: "broken" }, { isPrivate: true }] });
});

test("a list that repeats a page is refused", async () => {
  const { call } = fakeSavedCall({ listSavedQueries: () => ({ nextPageToken: "again" }) });
  await expect(listSavedQueries(call)).rejects.toMatchObject({ code: "MALFORMED" });
});

test("one query is shown with the parts of its view that it has", async () => {
  const content = { query: "kind=Pod", sort: ["-age"] };
  const { call, stdout } = fakeSavedCall({ getSavedQuery: () => ({ savedQuery: fakeSavedQuery({ content }) }) });
  await getSavedQuery(call, { name: "broken", isPrivate: false });
  expect(stdout()).toMatch(
    /^name +broken\nowner +ann\nvisibility +shared\nupdated +5m ago\nquery +kind=Pod\nsort +-age\n$/,
  );
});

test("[SQ2] a deletion names the owner of a private query of another user", async () => {
  const { call, stdout } = fakeSavedCall({
    deleteSavedQuery: ({ name, isPrivate, owner }) => {
      expect([name, isPrivate, owner]).toEqual(["broken", true, "bob"]);
      return {};
    },
  });
  await deleteSavedQuery(call, { name: "broken", isPrivate: true, owner: "bob" });
  expect(stdout()).toBe("saved query broken is deleted\n");
});

test.each([
  ["table", ["kind"], /^NAME +STATUS\nweb +unhealthy\n/],
  ["csv", [], /^name,status\nweb,unhealthy\n$/],
  ["name", [], /^east\/shop\/pod\/web\n$/],
] as const)(
  "[SQ1] a run asks for the rows as the user, with the saved order; %s has facets %j",
  async (format, facets, printed) => {
    const content = { query: "kind=Pod", sort: ["-age"], facets: ["kind"], columns: ["name", "status"] };
    const { call, stdout } = fakeSavedCall(
      { getSavedQuery: () => ({ savedQuery: fakeSavedQuery({ content }) }) },
      "text",
      {
        listObjects: (request) => {
          expect([request.query, request.sort, request.facets]).toEqual(["kind=Pod", ["-age"], facets]);
          return { objects: [fakeObject()], total: 1n, coverage: completeCoverage };
        },
      },
    );
    await runSavedQuery(call, { name: "broken", isPrivate: false, limit: 10, format });
    expect(stdout()).toMatch(printed);
  },
);

test("[SQ1] a run of a grouped query prints groups", async () => {
  const content = { query: "", sort: ["-age"], groupBy: ["cluster"] };
  const { call, stdout } = fakeSavedCall(
    { getSavedQuery: () => ({ savedQuery: fakeSavedQuery({ content }) }) },
    "text",
    {
      listObjects: ({ groupBy, sort }) => {
        expect([groupBy, sort]).toEqual([["cluster"], []]);
        return { groups: [{ values: ["east"], count: 2n }], coverage: completeCoverage };
      },
    },
  );
  await runSavedQuery(call, { name: "broken", isPrivate: false, limit: 10, format: "table" });
  expect(stdout()).toMatch(/east +2/);
});
