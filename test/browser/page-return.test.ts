// SPDX-License-Identifier: Apache-2.0
// What a page says of how things came back, and of what did not.
import { describe, expect, test } from "vitest";
import { virtualServiceKind } from "../../src/kinds/istio/virtual-service-kind.ts";
import { resourceIdText } from "../../src/model/gvr.ts";
import { undefine } from "../e2e/fleet/definitions.ts";
import { eventually } from "../e2e/fleet/eventually.ts";
import { openFleetPage } from "../e2e/page/fleet-page.ts";
import { noticesOf, tileOf, untilNotice, untilTile } from "../e2e/page/page-browser.ts";
import { setPower } from "../e2e/page/playground-switch.ts";

const eu = "eu-west-1";

describe("a cluster that comes back", () => {
  const tab = openFleetPage(1);
  const { world } = tab;

  test("[SE47][PG19] whose API server alone was lost says whether it resumed or how many kinds were listed anew", async () => {
    await setPower(world.fleet.hub, eu, false);
    await untilNotice(tab.page, /^Disconnected: eu-west-1/);
    await setPower(world.fleet.hub, eu, true);
    const words = /^Live again: eu-west-1\n[\s\S]*away for \d+ (s|min), (resumed|relisted \d+ kinds?)\./;
    await eventually(async () => expect(await noticesOf(tab.page).innerText()).toMatch(words));
  });

  test("[R-32] a kind whose definition was deleted is shown to an admin with what the server answers for it", async () => {
    const { page } = tab;
    await untilTile(page, eu, "live");
    await tileOf(page, eu).click();
    const line = page.locator(`[data-kind="${resourceIdText(virtualServiceKind.resource)}"]`);
    await line.waitFor();
    await undefine(world.fleet.connect(eu), virtualServiceKind);
    await eventually(async () => expect(await line.count()).toBe(0));
    await page.getByRole("button", { name: /kinds? that (is|are) not installed/ }).click();
    expect(await line.getAttribute("data-state")).toBe("notInstalled");
    await eventually(async () => {
      const words = await line.locator("xpath=following-sibling::tr[1]").innerText();
      expect(words).toMatch(/^(list|watch) GET \/apis\/networking\.istio\.io\/v1\S*\/virtualservices .*answered 404/);
      expect(words).toContain("It is followed as soon as its definition is installed.");
    });
  });
});
