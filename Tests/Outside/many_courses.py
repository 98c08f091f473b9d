"""Videos with one id in many courses, each another file: few requests, and side by side."""

import threading
import unittest

import media
from host import File, Host
from stage import Stage


class ManyCourses(unittest.TestCase):
    maxDiff = 400

    def setUp(self):
        self.host, self.stage = Host(), Stage()
        self.addCleanup(self.stage.close)
        self.addCleanup(self.host.close)
        self.lock, self.busy, self.most, self.whole = threading.Lock(), 0, 0, 0

    def watched(self, file, first):
        """Counts the transfers of whole files, and how many there are at a time after the first course's."""
        def handler(x):
            if "range" in x.request.headers:
                return file(x)
            with self.lock:
                self.whole += 1
                self.busy += 0 if first else 1
                self.most = max(self.most, self.busy)
            try:
                self.host.closing.wait(0.1)
                return file(x)
            finally:
                with self.lock:
                    self.busy -= 0 if first else 1
        return handler

    def courses(self, files):
        self.files = {f"c{number:02}": file for number, file in enumerate(files)}
        self.stage.urls({
            f"{course}/v0": self.host.at(f"/{course}.mp4", self.watched(file, course == "c00"))
            for course, file in self.files.items()})
        self.stage.write({course: ["v0"] for course in self.files})

    def sync(self, *options):
        """Returns the number of requests. Each course has its own bytes."""
        self.stage.sync("--jobs", 4, *options, exit=0)
        found = self.stage.files()
        for course, file in self.files.items():
            bodies = [data for path, data in found.items() if path.startswith(f"{course}/")]
            self.assertTrue(bodies == [file.body], f"{course}: {sorted(found)}")
        return len(self.host.asked())

    def test_twenty_files_of_one_id_take_two_requests_each_and_come_side_by_side(self):
        self.courses(File(media.mp4(number, 100_000 + number), etag=f'"{number}"') for number in range(20))
        self.assertLessEqual(self.sync(), 40)
        self.assertEqual(self.whole, 20)
        self.assertGreater(self.most, 1, "one after the other")

    def test_forty_files_take_twice_as_many(self):
        self.courses(File(media.mp4(number, 100_000 + number), etag=f'"{number}"') for number in range(40))
        self.assertLessEqual(self.sync(), 80)
        self.assertEqual(self.whole, 40)

    def test_equal_tags_and_sizes_with_other_bytes_take_as_few(self):
        self.courses(File(media.mp4(number, 300_000), etag='"same"') for number in range(20))
        self.assertLessEqual(self.sync(), 40)
        self.assertEqual(self.whole, 20)

    def test_without_validators_they_come_side_by_side_and_nothing_is_compared(self):
        self.courses(File(media.mp4(number, 100_000 + number)) for number in range(20))
        self.assertEqual(self.sync(), 20)
        self.assertGreater(self.most, 1, "one after the other")

    def test_a_host_without_ranges_is_asked_as_rarely(self):
        self.courses(File(media.mp4(number, 100_000 + number), etag=f'"{number}"', ranges=False) for number in range(12))
        self.sync()
        self.assertLessEqual(len(self.host.asked()), 24)
        self.assertGreater(self.most, 1, "one after the other")

    def test_of_many_courses_with_few_files_each_file_comes_once(self):
        # Of very different sizes: the middle of one is beyond the end of another.
        bodies = [media.mp4(number, size) for number, size in enumerate((900_000, 100_000, 700_000))]
        self.courses(File(bodies[number % 3], etag=f'"{number % 3}"') for number in range(15))
        self.assertLessEqual(self.sync(), 3 + 2 * 14)
        self.assertEqual(self.whole, 3)

    def test_in_a_later_sync_each_new_file_comes_once(self):
        bodies = [media.mp4(number, 100_000 + number) for number in range(3)]
        self.courses(File(bodies[number % 3], etag=f'"{number % 3}"') for number in range(9))
        self.stage.write({"c00": ["v0"]})
        self.stage.sync(exit=0)
        self.stage.write({course: ["v0"] for course in self.files})
        self.assertLessEqual(self.sync(), 3 + 2 * 8)
        self.assertEqual(self.whole, 3)


if __name__ == "__main__":
    unittest.main()
