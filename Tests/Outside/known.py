"""Cases that are known to fail, each with its reason. One that passes is a failure as long as it stands here."""

KNOWN = {
    "test_a_vod_playlist_that_is_cut_by_a_close_is_not_the_whole_stream": "issue 8, item 4 is not mended yet",
    "test_a_cover_in_a_folder_that_is_a_link_is_not_copied": "issue 8, item 7 is not mended yet",
    "test_a_cover_that_is_a_link_is_not_copied": "issue 8, item 7 is not mended yet",
    "test_a_cover_that_is_a_relative_link_is_not_copied": "issue 8, item 7 is not mended yet",
    "test_a_library_renamed_by_hand_gets_nothing_more_and_goes_on_when_it_is_back": "issue 8, item 14 is not mended yet",
    "test_a_library_replaced_at_its_path_fails_nothing": "issue 8, item 14 is not mended yet",
    "test_a_library_that_becomes_a_dangling_link_rests_the_watch": "issue 8, item 14 is not mended yet",
    "test_another_states_library_at_its_path_is_left_alone": "issue 8, item 14 is not mended yet",
    "test_a_course_folder_that_is_empty_as_a_mount_point_holds_its_course": "issue 8, item 15 is not mended yet",
    "test_a_course_folder_that_is_gone_holds_its_course_and_others_go_on": "issue 8, item 15 is not mended yet",
    "test_a_dry_run_says_that_the_course_is_held": "issue 8, item 15 is not mended yet",
    "test_killed_while_a_course_is_held_nothing_is_fetched_by_later_runs": "issue 8, item 15 is not mended yet",
    "test_other_titles_while_a_course_folder_is_away_lose_nothing": "issue 8, item 15 is not mended yet",
    "test_a_file_beyond_the_file_systems_limit_fails_alone_and_says_why": "issue 8, item 18 is not mended yet",
    "test_a_204_for_each_range_is_started_over": "issue 8, item 19 is not mended yet",
    "test_a_206_with_a_content_encoding_is_started_over": "issue 8, item 19 is not mended yet",
    "test_a_206_with_two_content_ranges_is_started_over": "issue 8, item 19 is not mended yet",
    "test_a_page_for_each_range_is_started_over": "issue 8, item 19 is not mended yet",
    "test_an_unusable_range_of_a_file_with_a_checksum_ends_with_that_file": "issue 8, item 19 is not mended yet",
    "test_a_state_that_cannot_be_written_at_the_end_is_73_and_not_75": "issue 8, item 22 is not mended yet",
}
