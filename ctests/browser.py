"""browser.py - a page in a headless Chromium, for the tests of the HTML report."""

import json
import os
import sys
import time

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.keys import Keys


def first_of(*paths):
    return next((p for p in paths if os.path.exists(p)), paths[0])


class Browser:
    """One browser for all pages of a test. Sizes are page sizes."""

    def __init__(self):
        options = Options()
        options.binary_location = first_of("/usr/bin/chromium", "/usr/bin/google-chrome")
        profile = os.path.join(os.getcwd(), "browser")
        # As root in a container there is neither a sandbox nor a large /dev/shm.
        for word in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu",
                     "--no-first-run", "--disable-background-networking", "--disable-extensions",
                     "--user-data-dir=" + profile, "--force-device-scale-factor=1"):
            options.add_argument(word)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        service = Service(first_of("/usr/bin/chromedriver"))
        self.driver = webdriver.Chrome(service=service, options=options)
        self.size(1400, 900)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()

    def size(self, width, height):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        self.settle()

    def media(self, **features):
        """media(prefers_color_scheme="dark")"""
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": name.replace("_", "-"), "value": value} for name, value in features.items()]})

    def scripts(self, on):
        self.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not on})

    def open(self, path):
        self.driver.get_log("browser")
        self.driver.get_log("performance")
        self.driver.get("file://" + os.path.abspath(path))

    def js(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def find(self, selector):
        return self.driver.find_element("css selector", selector)

    def all(self, selector):
        return self.driver.find_elements("css selector", selector)

    def click(self, selector):
        self.find(selector).click()

    def keys(self, *keys):
        """Send keys to the focused element."""
        self.driver.switch_to.active_element.send_keys(*keys)

    def settle(self):
        """Wait until the work deferred to the next frame is done."""
        self.driver.execute_async_script(
            "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(done))")

    def complaints(self):
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self):
        """Addresses that the page has requested since it was opened."""
        urls = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                urls.append(message["params"]["request"]["url"])
        return urls


class Checks:
    """Count failed checks."""

    def __init__(self):
        self.failed = 0
        self.made = 0

    def same(self, what, got, wanted):
        self.made += 1
        if got != wanted:
            self.failed += 1
            print(f"{what}: got {got!r}, wanted {wanted!r}")

    def true(self, what, condition, *more):
        self.made += 1
        if not condition:
            self.failed += 1
            print(what, *more)

    def end(self):
        print(f"{self.made} checks, {self.failed} failed")
        sys.exit(self.failed != 0)


__all__ = ["Browser", "Checks", "Keys", "time"]
